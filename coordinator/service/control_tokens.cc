#include "coordinator/service/control_tokens.h"

#include <absl/strings/str_split.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <utility>

#include "core/base/log.h"
#include "platform/files.h"

namespace evenkeel::coordinator {
namespace {

constexpr Duration kReadInterval = std::chrono::seconds(5);
constexpr std::size_t kMinTokenBytes = 16;
constexpr std::size_t kMaxTokens = 4;
constexpr std::size_t kMaxFileBytes = 4096;

}  // namespace

Result<std::vector<std::string>> ReadControlTokens(const std::filesystem::path& file) {
  const Result<std::string> text = platform::ReadRegularFile(file, kMaxFileBytes);
  if (!text) return tl::unexpected<Error>(text.error());
  std::vector<std::string> tokens;
  for (const absl::string_view line :
       absl::StrSplit(*text, absl::ByAnyChar("\r\n"), absl::SkipEmpty())) {
    for (const char c : line) {
      if (c <= ' ' || c > '~') {
        return InvalidInput(file.string() + ": is no token of printable characters");
      }
    }
    if (line.size() < kMinTokenBytes) {
      return InvalidInput(file.string() + ": must have at least " + std::to_string(kMinTokenBytes) +
                          " characters");
    }
    tokens.emplace_back(line);
  }
  if (tokens.empty() || tokens.size() > kMaxTokens) {
    return InvalidInput(file.string() + ": must have at least " + std::to_string(kMinTokenBytes) +
                        " characters, in 1 to " + std::to_string(kMaxTokens) + " lines");
  }
  return tokens;
}

ControlTokens::ControlTokens(std::filesystem::path file, std::vector<std::string> tokens,
                             const Clock& clock)
    : file_(std::move(file)), clock_(clock), read_again_(clock.Now() + kReadInterval) {
  Set(std::move(tokens));
}

void ControlTokens::Set(std::vector<std::string> tokens) {
  digests_.clear();
  for (const std::string& token : tokens) {
    const std::string header = "Bearer " + token;
    SHA256(reinterpret_cast<const unsigned char*>(header.data()), header.size(),
           digests_.emplace_back().data());
  }
  tokens_ = std::move(tokens);
}

std::vector<std::string> ControlTokens::Tokens() {
  const std::scoped_lock lock(mutex_);
  ReadAgain();
  return tokens_;
}

void ControlTokens::ReadAgain() {
  if (clock_.Now() < read_again_) return;
  read_again_ = clock_.Now() + kReadInterval;
  if (auto tokens = ReadControlTokens(file_)) {
    Set(std::move(*tokens));
  } else {
    Log(LogLevel::kWarning, "the tokens stay as they were: " + tokens.error().message);
  }
}

bool ControlTokens::Authorizes(const std::string& authorization) {
  // Digests have equal length, so that the comparison does not reveal the token's length.
  Digest shown{};
  SHA256(reinterpret_cast<const unsigned char*>(authorization.data()), authorization.size(),
         shown.data());
  const std::scoped_lock lock(mutex_);
  ReadAgain();
  bool is_known = false;
  for (const Digest& digest : digests_) {
    is_known = (CRYPTO_memcmp(shown.data(), digest.data(), shown.size()) == 0) || is_known;
  }
  return is_known;
}

}  // namespace evenkeel::coordinator
