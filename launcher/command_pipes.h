#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/item_lines.h"

/// The launcher's ends of the pipes from and to a command. They are closed on exec and never block.
namespace evenkeel::launcher {

/// The reading end of a pipe from a command. Owns its descriptor. Not thread-safe.
class PipeReader {
 public:
  PipeReader() = default;
  virtual ~PipeReader() { Close(); }
  PipeReader(const PipeReader&) = delete;
  PipeReader& operator=(const PipeReader&) = delete;

  /// Reads what there is, at most about `most` bytes.
  void Read(std::size_t most);
  void Close();

  [[nodiscard]] int Descriptor() const { return descriptor_; }  ///< -1: closed

 protected:
  /// Makes a new pipe. Returns the writing end, which is the caller's; -1 and errno if there is
  /// none.
  [[nodiscard]] int OpenPipe();
  /// Receives what was read, piece by piece.
  virtual void Take(std::string_view bytes) = 0;

 private:
  int descriptor_ = -1;
};

/// Reads a command's stdout or stderr: keeps the first bytes up to a limit, and throws away the
/// rest, so that the command never waits for a reader.
class CapturedPipe final : public PipeReader {
 public:
  /// Begins anew. Returns as OpenPipe.
  [[nodiscard]] int Open(std::size_t limit);

  [[nodiscard]] bool Cut() const { return cut_; }
  [[nodiscard]] std::string& Kept() { return kept_; }

 private:
  void Take(std::string_view bytes) override;

  std::size_t limit_ = 0;
  bool cut_ = false;
  std::string kept_;
};

/// Reads a command's lines `done K`.
class ProgressPipe final : public PipeReader {
 public:
  /// Begins anew. Returns as OpenPipe.
  [[nodiscard]] int Open();

  /// The highest item so far, if it is higher than at the last call.
  [[nodiscard]] std::optional<std::int64_t> TakeNewHighest();

 private:
  void Take(std::string_view bytes) override;

  ItemLineReader lines_{kDone};
  std::int64_t highest_ = -1;
  std::int64_t taken_ = -1;
};

/// The writing end of the pipe on which a command gets lines `last S`. Owns its descriptor. Not
/// thread-safe. SIGPIPE must be blocked or ignored.
class ControlPipe {
 public:
  ControlPipe() = default;
  ~ControlPipe() { Close(); }
  ControlPipe(const ControlPipe&) = delete;
  ControlPipe& operator=(const ControlPipe&) = delete;

  /// Begins anew. Returns the reading end, which is the caller's; -1 and errno if there is none.
  [[nodiscard]] int Open();
  /// Writes the limit unless an earlier one was as low; keeps it if the pipe is full.
  void Limit(std::int64_t item);
  /// Writes the limit that was kept.
  void Write();
  void Close();

  /// To wait for room in the pipe; -1: nothing is kept to be written.
  [[nodiscard]] int DescriptorToWrite() const { return unwritten_ ? descriptor_ : -1; }

 private:
  int descriptor_ = -1;
  std::optional<std::int64_t> limit_;  // the lowest so far
  bool unwritten_ = false;
};

}  // namespace evenkeel::launcher
