#include "workloads/primes/task_result.h"

#include <optional>

#include "workloads/little_endian.h"

namespace evenkeel::workloads::primes {
namespace {

constexpr std::size_t kSieveHeaderBytes = 16;

tl::unexpected<Error> InvalidResult(const char* what) {
  return Fail(ErrorCode::kInternal, std::string("a result of primes ") + what);
}

/// Removes one LEB128 number from the front of `bytes` and returns it; nothing if it is truncated
/// or longer than 63 bits.
std::optional<std::uint64_t> TakeDistance(std::string_view& bytes) {
  std::uint64_t distance = 0;
  for (std::size_t n = 0; n < bytes.size() && n < 9; ++n) {
    const auto byte = static_cast<unsigned char>(bytes[n]);
    distance |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * n);
    if ((byte & 0x80) == 0) {
      bytes.remove_prefix(n + 1);
      return distance;
    }
  }
  return std::nullopt;
}

/// Reads all `distances` and sets the flags of the primes.
Result<Found> ReadListed(CandidateRange candidates, std::string_view distances,
                         CandidateFlags& flags) {
  Found found;
  CandidateIndex candidate = candidates.begin;
  while (!distances.empty()) {
    const std::optional<std::uint64_t> distance = TakeDistance(distances);
    const auto left = static_cast<std::uint64_t>(candidates.end - candidate);
    if (!distance || *distance >= left || (*distance == 0 && found.count > 0)) {
      return InvalidResult("lists a number that is not a candidate of its task");
    }
    candidate += static_cast<std::int64_t>(*distance);
    flags[static_cast<std::size_t>(candidate)] = true;
    ++found.count;
    found.largest = candidate;
  }
  return found;
}

}  // namespace

void AppendSieveHeader(Found found, std::string& result) {
  AppendLittleEndian(static_cast<std::uint64_t>(found.count), result);
  AppendLittleEndian(found.count > 0 ? NumberOf(found.largest) : 0, result);
}

void AppendDistance(std::uint64_t distance, std::string& result) {
  for (; distance >= 0x80; distance >>= 7) {
    result.push_back(static_cast<char>(static_cast<unsigned char>(0x80 | (distance & 0x7f))));
  }
  result.push_back(static_cast<char>(distance));
}

Result<Found> ReadBitmap(CandidateRange candidates, std::string_view bytes, CandidateFlags* flags) {
  if (bytes.size() != BitmapBytes(candidates)) return InvalidResult("has the wrong size");
  Found found;
  CandidateIndex candidate = candidates.begin;
  for (const char byte : bytes) {
    for (unsigned bits = static_cast<unsigned char>(byte), n = 0; n < 8; ++n, ++candidate) {
      if ((bits >> n & 1U) == 0) continue;
      if (candidate >= candidates.end) return InvalidResult("marks more candidates than it has");
      if (flags != nullptr) (*flags)[static_cast<std::size_t>(candidate)] = true;
      ++found.count;
      found.largest = candidate;
    }
  }
  return found;
}

Result<Found> ReadSieved(CandidateRange candidates, std::string_view bytes, CandidateFlags* flags) {
  const bool listed = flags != nullptr;
  if (bytes.size() < kSieveHeaderBytes || (!listed && bytes.size() > kSieveHeaderBytes)) {
    return InvalidResult("has the wrong size");
  }
  const std::uint64_t count = ReadLittleEndian(bytes, 0);
  const std::uint64_t largest = ReadLittleEndian(bytes, 8);
  const bool in_range = largest % 2 == 1 && largest >= NumberOf(candidates.begin) &&
                        largest < NumberOf(candidates.end);
  if (count > static_cast<std::uint64_t>(candidates.Size()) ||
      (count == 0 ? largest != 0 : !in_range)) {
    return InvalidResult("counts primes that its task cannot have");
  }
  Found found{static_cast<std::int64_t>(count), static_cast<CandidateIndex>(largest / 2)};
  if (!listed) return found;
  return ReadListed(candidates, bytes.substr(kSieveHeaderBytes), *flags)
      .and_then([&](Found read) -> Result<Found> {
        if (read.count == found.count && read.largest == found.largest) return read;
        return InvalidResult("lists other primes than it counts");
      });
}

}  // namespace evenkeel::workloads::primes
