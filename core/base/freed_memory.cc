#include "core/base/freed_memory.h"

#include <cstdlib>  // says which C library it is

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace evenkeel {

void KeepFreedMemory() {
#ifdef __GLIBC__
  // The largest threshold that glibc accepts: 32 MiB, on 32-bit systems 512 KiB.
  constexpr int kLargestFromHeap = sizeof(void*) == 8 ? 32 << 20 : 512 << 10;
  constexpr int kKept = 16 << 20;  // bytes per heap; each thread may have its own heap
  ::mallopt(M_MMAP_THRESHOLD, kLargestFromHeap);
  ::mallopt(M_TRIM_THRESHOLD, kKept);
#endif
}

}  // namespace evenkeel
