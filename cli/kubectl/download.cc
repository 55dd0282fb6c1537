#include "cli/kubectl/download.h"

#include <ostream>
#include <utility>

#include "cli/human_text.h"
#include "platform/files.h"

namespace evenkeel::cli {
namespace {

/// Far above any result; a peer that never stops sending would fill the disk.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;

/// Shorter downloads print no progress.
constexpr Duration kProgressInterval = std::chrono::milliseconds(300);

/// A folder that cannot be written to is the user's to change.
Error OfFolder(Error error) {
  if (error.code == ErrorCode::kUnavailable) error.code = ErrorCode::kInvalidInput;
  return error;
}

}  // namespace

ProgressLine::ProgressLine(std::ostream* screen)
    : screen_(screen), next_(clock_.Now() + kProgressInterval) {}

void ProgressLine::Show(const std::string& name, std::uint64_t received,
                        std::optional<std::uint64_t> total) {
  if (screen_ == nullptr || clock_.Now() < next_) return;
  next_ = clock_.Now() + kProgressInterval;
  shown_ = true;
  *screen_ << "\r\033[2K" << name << "  " << HumanBytes(received);
  if (total) *screen_ << " of " << HumanBytes(*total);
  *screen_ << std::flush;
}

void ProgressLine::Clear() {
  if (std::exchange(shown_, false)) *screen_ << "\r\033[2K" << std::flush;
  next_ = clock_.Now() + kProgressInterval;
}

Downloads::Downloads(CoordinatorPages& pages, std::filesystem::path folder, std::ostream* screen)
    : pages_(pages), folder_(std::move(folder)), line_(screen) {}

Result<std::optional<std::uint64_t>> Downloads::Get(const std::string& path,
                                                    const std::string& name,
                                                    std::optional<std::uint64_t> want_bytes,
                                                    const std::string& label) {
  std::optional<platform::AtomicFile> file;
  const auto fetched =
      pages_.Fetch(path, want_bytes.value_or(kMaxBytes), [&]() -> Result<BodySink> {
        file.reset();  // before the next one of that name is made
        auto created = platform::AtomicFile::Create(folder_ / name);
        if (!created) return tl::unexpected(OfFolder(created.error()));
        file.emplace(*std::move(created));
        return BodySink{[&file](std::string_view bytes) -> Result<void> {
                          return file->Append(bytes).map_error(OfFolder);
                        },
                        [this, &label](std::uint64_t received, std::optional<std::uint64_t> total) {
                          line_.Show(label, received, total);
                        }};
      });
  if (!fetched) return fetched;
  if (!*fetched) return std::nullopt;
  if (want_bytes && **fetched != *want_bytes) {
    return Fail(ErrorCode::kInternal, label + ": came with " + std::to_string(**fetched) +
                                          " bytes, should have " + std::to_string(*want_bytes));
  }
  if (const auto kept = file->Commit(); !kept) return tl::unexpected(OfFolder(kept.error()));
  return fetched;
}

}  // namespace evenkeel::cli
