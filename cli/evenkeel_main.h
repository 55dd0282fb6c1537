#pragma once

#include "workloads/registry.h"

namespace evenkeel::cli {

/// The program evenkeel with the workloads of `registry`; returns its exit code. Call it from main,
/// with main's arguments and before there are threads. Workers are the program evenkeel-worker
/// beside this one, which has to know the same workloads.
int EvenkeelMain(int argc, char** argv, const workloads::Registry& registry);

}  // namespace evenkeel::cli
