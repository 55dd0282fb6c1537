#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The contract between a command that runs a range of items and its launcher: lines `done K` and
/// `last S` on two descriptors. docs/commands.md describes it for users.
namespace evenkeel::launcher {

inline constexpr std::string_view kDone = "done";  ///< from the command: items up to K are done
inline constexpr std::string_view kLast = "last";  ///< to the command: stop after item S

// Environment variables with the numbers of the two descriptors.
inline constexpr std::string_view kProgressVariable = "EVENKEEL_PROGRESS";
inline constexpr std::string_view kControlVariable = "EVENKEEL_CONTROL";

// Numbers of one digit: a POSIX shell can redirect no others.
inline constexpr int kProgressDescriptor = 3;
inline constexpr int kControlDescriptor = 4;

inline constexpr std::int64_t kMaxItem = 1'000'000'000'000;
inline constexpr std::size_t kMaxItemLineBytes = 64;  ///< without its end; longer lines are ignored

/// The whole number from 0 to kMaxItem that `text` is; nothing if it is none.
[[nodiscard]] std::optional<std::int64_t> ParseItem(std::string_view text);

/// `WORD ITEM` and the end of the line.
[[nodiscard]] std::string ItemLine(std::string_view word, std::int64_t item);

/// Finds the lines `WORD ITEM` in a stream of bytes that comes in pieces, and ignores all others.
/// Keeps at most kMaxItemLineBytes. Not thread-safe.
class ItemLineReader {
 public:
  /// `word` is not copied.
  explicit ItemLineReader(std::string_view word) : word_(word) {}

  /// Removes bytes from the front up to the end of the next such line, and returns its item.
  /// Nothing: no such line ends in `bytes`, which are then all removed.
  [[nodiscard]] std::optional<std::int64_t> Next(std::string_view& bytes);

 private:
  [[nodiscard]] std::optional<std::int64_t> ParseLine() const;

  std::string_view word_;
  std::string line_;  // the part of the current line that earlier pieces had
  bool too_long_ = false;
};

}  // namespace evenkeel::launcher
