#include "kubernetes/credentials.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/base/log.h"

namespace evenkeel::kube {

Result<std::string> ReadBoundedFile(const std::string& file, std::size_t max_bytes) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) {
    return Fail(ErrorCode::kUnavailable,
                file + ": " + (failure ? failure.message() : "must be a regular file"));
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Fail(ErrorCode::kUnavailable, file + ": " + std::strerror(errno));
  std::string content(max_bytes + 1, '\0');
  stream.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (stream.bad()) return Fail(ErrorCode::kUnavailable, file + ": cannot be read");
  content.resize(static_cast<std::size_t>(stream.gcount()));
  if (content.size() > max_bytes) {
    return Fail(ErrorCode::kUnavailable,
                file + ": more than " + std::to_string(max_bytes) + " bytes");
  }
  return content;
}

namespace {

constexpr Duration kReadAgainAfter = std::chrono::minutes(1);
constexpr Duration kTryAgainAfter = std::chrono::seconds(10);
constexpr std::size_t kMaxTokenBytes = 64 * 1024;

/// True for visible ASCII. Other characters could end the header and begin another.
bool IsTokenCharacter(char c) { return c > 0x20 && c < 0x7f; }

}  // namespace

TokenSource::TokenSource(std::string token) : token_(std::move(token)) {}

TokenSource::TokenSource(std::string file, const Clock& clock)
    : file_(std::move(file)), clock_(&clock) {}

Result<std::string> TokenSource::Token() {
  const std::lock_guard lock(mutex_);
  if (clock_ == nullptr || (!token_.empty() && clock_->Now() < read_again_)) return token_;
  Result<std::string> read = ReadFile();
  if (read) {
    token_ = *std::move(read);
    read_again_ = clock_->Now() + kReadAgainAfter;
    return token_;
  }
  if (token_.empty()) return tl::unexpected(read.error());
  Log(LogLevel::kWarning, read.error().message + "; going on with the token read before");
  read_again_ = clock_->Now() + kTryAgainAfter;
  return token_;
}

void TokenSource::Refused() {
  const std::lock_guard lock(mutex_);
  read_again_ = Instant{};
}

Result<std::string> TokenSource::ReadFile() const {
  Result<std::string> text = ReadBoundedFile(file_, kMaxTokenBytes);
  if (!text) return text;
  while (!text->empty() && !IsTokenCharacter(text->back())) text->pop_back();
  if (text->empty()) return Fail(ErrorCode::kUnavailable, file_ + ": holds no token");
  if (!std::all_of(text->begin(), text->end(), IsTokenCharacter)) {
    return Fail(ErrorCode::kUnavailable, file_ + ": a token has no blanks or control characters");
  }
  return text;
}

}  // namespace evenkeel::kube
