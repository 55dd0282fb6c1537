#pragma once

#include <evenkeel/workloads/registry.h>

/// The workloads of this project's programs.
evenkeel::workloads::Registry OwnWorkloads();
