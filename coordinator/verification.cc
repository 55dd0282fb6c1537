#include "coordinator/verification.h"

#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::coordinator {
namespace {

const unsigned char* BytesOf(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// Evenly distributed over all 64-bit numbers.
std::uint64_t DrawOf(const std::string& key, model::TaskIndex index) {
  constexpr std::size_t kBytes = 8;
  unsigned char message[kBytes];
  for (std::size_t n = 0; n < kBytes; ++n) {
    message[n] = static_cast<unsigned char>(static_cast<std::uint64_t>(index) >> (8 * n));
  }
  unsigned char code[SHA256_DIGEST_LENGTH];
  unsigned int size = 0;
  EVENKEEL_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), message, kBytes, code,
                      &size) != nullptr,
                 "OpenSSL has no HMAC-SHA256");
  std::uint64_t draw = 0;
  for (std::size_t n = 0; n < kBytes; ++n) draw = draw << 8 | code[n];
  return draw;
}

}  // namespace

std::optional<engine::VerificationRules> VerificationRulesOf(const JobVersion& version,
                                                             const std::string& draw_key) {
  const auto share = static_cast<std::uint64_t>(version.spec().task_policy.verified_share);
  if (share == 0) return std::nullopt;
  constexpr auto kWhole = static_cast<std::uint64_t>(model::kWholeJob);
  const std::uint64_t step = std::numeric_limits<std::uint64_t>::max() / kWhole;
  engine::VerificationRules rules;
  rules.draws = [draw_key, all = share == kWhole, below = step * share](model::TaskIndex index) {
    return all || DrawOf(draw_key, index) < below;
  };
  rules.digest_of = [workload = version.workload()](std::string_view result) {
    const std::string part = workload->RepeatablePartOf(result);
    engine::ResultDigest digest{};
    static_assert(std::tuple_size_v<engine::ResultDigest> == SHA256_DIGEST_LENGTH);
    SHA256(BytesOf(part), part.size(), digest.data());
    return digest;
  };
  return rules;
}

Result<engine::VerifiedSoFar> ReadVerified(const Journal& journal,
                                           const std::optional<engine::VerificationRules>& rules) {
  engine::VerifiedSoFar verified;
  const JournalState& state = journal.State();
  verified.exclusions = state.exclusions;
  if (!rules) return verified;
  const auto read = journal.ForEachResult([&](const model::ResultRecord& record) -> Result<void> {
    verified.results[record.node].Insert(record.range);
    for (model::TaskIndex i = record.range.begin; i < record.range.end; ++i) {
      if (!rules->draws(i)) continue;
      const auto confirmed = state.confirmed.find(i);
      verified.drawn.push_back({i, record.node,
                                rules->digest_of(record.results.At(i - record.range.begin)),
                                confirmed == state.confirmed.end() ? "" : confirmed->second});
    }
    return {};
  });
  if (!read) return tl::unexpected<Error>(read.error());
  return verified;
}

}  // namespace evenkeel::coordinator
