#pragma once

#include "workloads/registry.h"

namespace evenkeel::coordinator {

/// The program evenkeel-coordinator with the workloads of `registry`; returns its exit code. Call
/// it from main, with main's arguments and before there are threads.
int CoordinatorMain(int argc, char** argv, const workloads::Registry& registry);

}  // namespace evenkeel::coordinator
