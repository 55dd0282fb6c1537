#include "workloads.h"

#include <evenkeel/workloads/built_in.h>

#include "mandelbrot/mandelbrot.h"

evenkeel::workloads::Registry OwnWorkloads() {
  // One line a workload. Registry({...}) instead would leave Evenkeel's own ones out.
  return evenkeel::workloads::BuiltInWorkloads({
      {mandelbrot::kName, mandelbrot::kVersion, &mandelbrot::MakeMandelbrot},
  });
}
