#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace evenkeel {

void CheckFailed(const char* condition, const char* rule, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s (%s)\n", file, line, rule, condition);
  std::abort();
}

}  // namespace evenkeel
