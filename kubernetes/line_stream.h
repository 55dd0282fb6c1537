#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "kubernetes/transport.h"

namespace evenkeel::kube {

/// Cuts a stream of bytes into lines, however the bytes are split. Empty lines are skipped, as is
/// the '\r' before a '\n'. Holds at most one line. Not thread-safe.
class LineSplitter {
 public:
  enum class Outcome {
    kMore,     ///< all lines were handed over
    kStopped,  ///< the sink wants no more
    kTooLong   ///< a line is longer than allowed
  };

  explicit LineSplitter(std::size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

  /// Hands the lines that `bytes` completes to `sink`. After anything but kMore it must not be
  /// called again.
  [[nodiscard]] Outcome Feed(std::string_view bytes, LineSink& sink);

  /// A line has begun and not ended.
  [[nodiscard]] bool InMidLine() const { return !begun_.empty(); }

 private:
  const std::size_t max_line_bytes_;
  std::string begun_;
};

/// Carries one HTTP answer from the threads of a library to the one thread that asked, with bounded
/// memory: a writer that is ahead of the reader is held up. Thread-safe; one reader.
class BodyPipe {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  /// Called once when the writer may go on; with false when the reader has abandoned the body.
  using Resume = std::function<void(bool go_on)>;

  struct Piece {
    enum class Kind {
      kBytes,    ///< part of the body, in `text`
      kEnd,      ///< the body is complete
      kFailed,   ///< the answer broke off; why, in `text`
      kLate,     ///< nothing came before the deadline
      kStopped,  ///< the stop token was set
    };
    Kind kind = Kind::kEnd;
    std::string text;
  };

  // The library's side.

  void SetHead(int status, std::optional<Duration> retry_after);
  /// Takes bytes of the body. `resume` is called when more is welcome: at once, or later.
  void Write(std::string_view bytes, Resume resume);
  /// The body is complete, or broke off with this failure; the first word counts.
  void Finish(std::optional<std::string> failure);

  // The reader's side.

  /// Sets the function that cancels the request; called at most once, by Abandon().
  void OnAbandon(std::function<void()> cancel);
  /// Waits for the next piece. Bytes come only after the head is known.
  [[nodiscard]] Piece Next(Deadline deadline, const std::stop_token& stop);
  /// The head, without body; status 0 if there is none yet.
  [[nodiscard]] Response Head() const;
  /// Nothing more will be read: cancels the request and lets a held-up writer go.
  void Abandon();

 private:
  /// Unread bytes above which the writer waits.
  static constexpr std::size_t kMaxWaitingBytes = 1u << 20;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  // All guarded by mutex_.
  std::optional<Response> head_;
  std::string waiting_;
  Resume held_up_;
  std::function<void()> cancel_;
  std::optional<std::string> failure_;
  bool finished_ = false;
  bool abandoned_ = false;
};

}  // namespace evenkeel::kube
