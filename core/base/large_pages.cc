#include "core/base/large_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace evenkeel {
namespace {

constexpr std::align_val_t kCacheLine{64};
constexpr std::size_t kMostWasted = 8;  // parts of what is wanted
constexpr std::size_t kMostKept = std::size_t{16} << 20;

std::size_t WholePages(std::size_t bytes) {
  return (bytes + kLargePageBytes - 1) / kLargePageBytes * kLargePageBytes;
}

bool InLargePages(std::size_t bytes) { return MemoryTakenFor(bytes) % kLargePageBytes == 0; }

/// From a multiple of a large page on: takes a page too many and gives back what is left over.
char* MapAligned(std::size_t bytes) {
  const std::size_t mapped = bytes + kLargePageBytes;
  void* const found =
      ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) throw std::bad_alloc();
  char* const begin = static_cast<char*>(found);
  const auto past = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(begin) %
                                             std::uintptr_t{kLargePageBytes});
  const std::size_t before = past == 0 ? 0 : kLargePageBytes - past;
  if (before > 0) ::munmap(begin, before);
  ::munmap(begin + before + bytes, kLargePageBytes - before);
  // Advice only: where it is not taken, the pages are ordinary ones.
  ::madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}

/// Mappings that nobody uses now. Thread-safe.
class Spares {
 public:
  char* Take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [bytes](const auto& spare) { return spare.second == bytes; });
    if (found == all_.end()) return nullptr;
    char* const memory = found->first;
    all_.erase(found);
    kept_ -= bytes;
    return memory;
  }

  /// False if there is no room for it.
  bool Keep(char* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (kept_ + bytes > kMostKept) return false;
    all_.emplace_back(memory, bytes);
    kept_ += bytes;
    return true;
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::vector<std::pair<char*, std::size_t>> all_;
  std::size_t kept_ = 0;
};

/// Never destroyed: memory may be given back by other objects' destructors.
Spares& TheSpares() {
  static auto* const spares = new Spares;
  return *spares;
}

}  // namespace

std::size_t MemoryTakenFor(std::size_t bytes) {
  const std::size_t whole = WholePages(bytes);
  return bytes > 0 && whole - bytes <= bytes / kMostWasted ? whole : bytes;
}

char* TakeMemory(std::size_t bytes) {
  if (!InLargePages(bytes)) return static_cast<char*>(::operator new(bytes, kCacheLine));
  const std::size_t taken = MemoryTakenFor(bytes);
  char* const spare = TheSpares().Take(taken);
  return spare != nullptr ? spare : MapAligned(taken);
}

void GiveMemory(char* memory, std::size_t bytes) {
  if (!InLargePages(bytes)) return ::operator delete(memory, kCacheLine);
  const std::size_t taken = MemoryTakenFor(bytes);
  if (!TheSpares().Keep(memory, taken)) ::munmap(memory, taken);
}

}  // namespace evenkeel
