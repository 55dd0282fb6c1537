#include "cli/kubectl/download.h"

#include <ostream>
#include <utility>

#include "cli/human_text.h"
#include "core/base/clock.h"
#include "platform/files.h"

namespace evenkeel::cli {
namespace {

/// Far above any result; a peer that never stops sending would fill the disk.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;

/// "primes.npy  12.3 MB of 45.0 MB", in one place of a terminal.
class TransferLine {
 public:
  TransferLine(std::ostream* screen, std::string name)
      : screen_(screen), name_(std::move(name)), next_(clock_.Now() + kInterval) {}
  ~TransferLine() {
    if (shown_) *screen_ << "\r\033[2K" << std::flush;
  }
  TransferLine(const TransferLine&) = delete;
  TransferLine& operator=(const TransferLine&) = delete;

  void Show(std::uint64_t received, std::optional<std::uint64_t> total) {
    if (screen_ == nullptr || clock_.Now() < next_) return;
    next_ = clock_.Now() + kInterval;
    shown_ = true;
    *screen_ << "\r\033[2K" << name_ << "  " << HumanBytes(received);
    if (total) *screen_ << " of " << HumanBytes(*total);
    *screen_ << std::flush;
  }

 private:
  /// Shorter downloads print no progress.
  static constexpr Duration kInterval = std::chrono::milliseconds(300);

  std::ostream* screen_;
  std::string name_;
  SteadyClock clock_;
  Instant next_;
  bool shown_ = false;
};

/// A folder that cannot be written to is the user's to change.
Error OfFolder(Error error) {
  if (error.code == ErrorCode::kUnavailable) error.code = ErrorCode::kInvalidInput;
  return error;
}

}  // namespace

Downloads::Downloads(CoordinatorPages& pages, std::filesystem::path folder, std::ostream* screen)
    : pages_(pages), folder_(std::move(folder)), screen_(screen) {}

Result<std::optional<std::uint64_t>> Downloads::Get(const std::string& path,
                                                    const std::string& name,
                                                    std::optional<std::uint64_t> want_bytes) {
  std::optional<platform::AtomicFile> file;
  TransferLine line(screen_, name);
  const auto fetched =
      pages_.Fetch(path, want_bytes.value_or(kMaxBytes), [&]() -> Result<BodySink> {
        file.reset();  // before the next one of that name is made
        auto created = platform::AtomicFile::Create(folder_ / name);
        if (!created) return tl::unexpected(OfFolder(created.error()));
        file.emplace(*std::move(created));
        return BodySink{[&file](std::string_view bytes) -> Result<void> {
                          return file->Append(bytes).map_error(OfFolder);
                        },
                        [&line](std::uint64_t received, std::optional<std::uint64_t> total) {
                          line.Show(received, total);
                        }};
      });
  if (!fetched) return fetched;
  if (!*fetched) return std::nullopt;
  if (want_bytes && **fetched != *want_bytes) {
    return Fail(ErrorCode::kInternal, name + ": came with " + std::to_string(**fetched) +
                                          " bytes, should have " + std::to_string(*want_bytes));
  }
  if (const auto kept = file->Commit(); !kept) return tl::unexpected(OfFolder(kept.error()));
  return fetched;
}

}  // namespace evenkeel::cli
