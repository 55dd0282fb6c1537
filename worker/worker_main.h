#pragma once

#include "workloads/registry.h"

namespace evenkeel::worker {

/// The program evenkeel-worker with the workloads of `registry`; returns its exit code. Call it
/// from main, with main's arguments and before there are threads.
int WorkerMain(int argc, char** argv, const workloads::Registry& registry);

}  // namespace evenkeel::worker
