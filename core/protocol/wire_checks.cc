#include "core/protocol/wire_checks.h"

#include <limits>
#include <numeric>
#include <utility>

#include "core/protocol/limits.h"

namespace evenkeel::protocol {
namespace {

constexpr auto kMaxIndex = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

/// True if count * size == bytes, without overflow.
bool Fits(std::uint64_t count, std::uint64_t size, std::uint64_t bytes) {
  if (size == 0) return bytes == 0;
  return bytes % size == 0 && bytes / size == count;
}

}  // namespace

void WireChecks::Require(bool holds, const char* otherwise) {
  if (!holds && problem_ == nullptr) problem_ = otherwise;
}

bool WireChecks::Admit(int entries) {
  entries_ += entries;
  Require(entries_ <= kMaxRanges, "more than 1000000 ranges in one message");
  return problem_ == nullptr;
}

model::IndexRange WireChecks::Range(std::uint64_t begin, std::uint64_t size) {
  Require(size > 0, "empty range");
  const bool fits = begin <= kMaxIndex && size <= kMaxIndex - begin;
  Require(fits, "range beyond the largest task index");
  if (!fits) return {};
  return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(begin + size)};
}

engine::Grant WireChecks::Grant(const v1::Grant& wire) {
  return {engine::GrantId{wire.id()}, Range(wire.begin(), wire.size()), wire.copy()};
}

std::int64_t WireChecks::Number(std::uint64_t wire) {
  Require(wire <= kMaxIndex, "number beyond the largest task index");
  return static_cast<std::int64_t>(wire);
}

Duration WireChecks::Time(std::uint64_t nanoseconds) {
  const bool fits = nanoseconds <= static_cast<std::uint64_t>(kMaxDuration.count());
  Require(fits, "duration of more than 100 years");
  return fits ? Duration{static_cast<std::int64_t>(nanoseconds)} : Duration::zero();
}

std::string WireChecks::Text(std::string* wire) {
  Require(wire->size() <= static_cast<std::size_t>(kMaxTextBytes),
          "name or reason of more than 64 KiB");
  return std::move(*wire);
}

model::PackedResults WireChecks::Results(v1::PackedResults* wire, std::int64_t tasks) {
  const auto count = static_cast<std::uint64_t>(tasks);
  if (wire->sizes().empty()) {
    const bool fits = Fits(count, wire->equal_size(), wire->bytes().size());
    Require(fits, "size of the results does not match the number of tasks");
    if (!fits || problem_ != nullptr) return {};
    return model::PackedResults::OfEqualSize(tasks, wire->equal_size(),
                                             std::move(*wire->mutable_bytes()));
  }
  const std::vector<std::uint32_t> sizes(wire->sizes().begin(), wire->sizes().end());
  Require(sizes.size() == count, "number of results does not match the number of tasks");
  const std::uint64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  Require(sum == wire->bytes().size(), "size of the results does not match their sizes");
  if (!Admit(wire->sizes_size())) return {};
  return model::PackedResults::OfSizes(sizes, std::move(*wire->mutable_bytes()));
}

}  // namespace evenkeel::protocol
