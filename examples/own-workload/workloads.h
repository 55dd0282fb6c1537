#pragma once

#include <evenkeel/workloads/registry.h>

/// What the programs of this project know.
evenkeel::workloads::Registry OwnWorkloads();
