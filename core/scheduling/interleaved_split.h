#pragma once
#include <vector>
#include "core/model/index_range.h"
namespace evenkeel::scheduling {
[[nodiscard]] std::vector<std::vector<model::IndexRange>> InterleavedSplit(const std::vector<std::int64_t>& weights, std::int64_t task_count);
}
