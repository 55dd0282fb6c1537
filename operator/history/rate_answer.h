#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/scheduling/history/blended_rates.h"

namespace evenkeel::operating {

/// Bytes and series of an answer: three for each of the pairs of node and profile that operators
/// keep, and some to spare.
inline constexpr std::size_t kMaxAnswerBytes = 1U << 20;
inline constexpr std::size_t kMaxAnswerSeries = 8192;

/// Reads the answer of Prometheus' HTTP API (/api/v1/query) to RateQuery() over that window.
/// Whatever the text is, it is judged, and numbers that cannot be are left to
/// scheduling::BlendRates to find. Errors: kUnavailable, one line that says what is wrong with it.
[[nodiscard]] Result<std::map<std::string, scheduling::RateSample>> ReadRateAnswer(
    const std::string& body, std::int64_t window_seconds);

/// Whether the text answers /api/v1/status/buildinfo as a Prometheus does.
[[nodiscard]] bool IsBuildInfo(const std::string& body);

}  // namespace evenkeel::operating
