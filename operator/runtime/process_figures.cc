#include "operator/runtime/process_figures.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace evenkeel::operating {
namespace {

double Seconds(const timeval& time) {
  constexpr double kMicro = 1e-6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicro;
}

double ResidentBytes() {
  std::ifstream file("/proc/self/statm");  // proc(5): all pages, then the resident ones
  double all = 0;
  double resident = 0;
  file >> all >> resident;
  return file ? resident * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

ProcessFigures ReadProcessFigures() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {Seconds(usage.ru_utime) + Seconds(usage.ru_stime), ResidentBytes()};
}

}  // namespace evenkeel::operating
