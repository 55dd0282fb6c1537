#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "launcher/item_lines.h"

/// Messages between a worker and the launcher beside it over a stream socket.
/// docs/protocol.md has the layout. Both ends of a connection run on one machine and came with one
/// release; the version makes the error clear if they did not.
namespace evenkeel::launcher {

inline constexpr std::uint32_t kVersion = 4;

// Bounds. A frame that breaks one of them ends the connection.
inline constexpr std::size_t kMaxWords = 257;          ///< the command's, and its argument
inline constexpr std::size_t kMaxVariables = 8'192;    ///< of the environment
inline constexpr std::size_t kMaxTextBytes = 131'071;  ///< of a word: what Linux takes in execve(2)
inline constexpr std::size_t kMaxOutputBytes = 1 << 20;  ///< of stdout and of stderr, each
inline constexpr std::size_t kMaxFrameBytes = 4 << 20;
inline constexpr std::size_t kMaxPathBytes = 8'191;     ///< of a folder or file
inline constexpr std::size_t kMaxPaths = 20'000;        ///< in an answer
inline constexpr std::size_t kMaxPathsBytes = 2 << 20;  ///< of all paths in an answer

/// The first frame in both directions.
struct Hello {
  std::uint32_t version = kVersion;
  friend bool operator==(const Hello&, const Hello&) = default;
};

/// The parameters of all commands of a connection; sent once, before the first Run.
struct Job {
  std::string folder;                    ///< to run in; empty: the launcher's own
  std::vector<std::string> words;        ///< the command
  std::vector<std::string> variables;    ///< "NAME=value", beside and before the launcher's own
  std::uint32_t output_limit = 0;        ///< bytes kept of stdout and of stderr each
  std::uint32_t grace_milliseconds = 0;  ///< between SIGTERM and SIGKILL
  /// Commands get descriptors for the lines of item_lines.h; Progress and Limit are used.
  bool follows_progress = false;
  friend bool operator==(const Job&, const Job&) = default;
};

/// Puts `text` in the place `position` of a list; one behind its end appends.
struct Change {
  std::uint32_t position = 0;
  std::string text;
  friend bool operator==(const Change&, const Change&) = default;
};

/// Runs the command, changed as said; one at a time on a connection. Ended answers.
struct Run {
  std::uint64_t id = 0;
  std::string folder;  ///< to run in instead of the job's; empty: that of the job
  std::vector<Change> words;
  std::vector<Change> variables;
  friend bool operator==(const Run&, const Run&) = default;
};

/// Ends the command if it still runs: SIGTERM to its process group, SIGKILL after the grace.
struct Stop {
  std::uint64_t id = 0;
  friend bool operator==(const Stop&, const Stop&) = default;
};

/// Tells the command to stop after this item, if it still runs and the job follows progress. A
/// limit that is not lower than an earlier one of the same run changes nothing.
struct Limit {
  std::uint64_t id = 0;
  std::int64_t item = 0;  ///< 0 to kMaxItem
  friend bool operator==(const Limit&, const Limit&) = default;
};

/// The command has reported a higher item than before. Sent at most every kProgressInterval; an
/// item that was not sent yet when the command ends is sent before Ended.
struct Progress {
  std::uint64_t id = 0;
  std::int64_t item = 0;  ///< the highest so far, 0 to kMaxItem
  friend bool operator==(const Progress&, const Progress&) = default;
};

inline constexpr std::chrono::milliseconds kProgressInterval{50};

/// How a command ended.
enum class Ending : std::uint8_t {
  kExited = 1,     ///< `value` is the exit code
  kSignalled = 2,  ///< `value` is the signal
  kNoProgram = 3,  ///< could not be started; `value` is the errno of execve(2)
  kNoFolder = 4,   ///< the same, of chdir(2)
  kNoProcess = 5   ///< the same, of what makes pipes and processes
};

struct Ended {
  std::uint64_t id = 0;
  Ending ending = Ending::kExited;
  std::int32_t value = 0;
  std::uint64_t wall_nanoseconds = 0;  ///< from the start to the end of the command
  std::uint64_t cpu_nanoseconds = 0;   ///< of the command and what it waited for
  bool out_of_memory = false;  ///< it failed, and the kernel killed processes for lack of memory
  bool output_cut = false;     ///< more than the limit was written
  bool error_cut = false;
  std::string output;
  std::string error;
  friend bool operator==(const Ended&, const Ended&) = default;
};

/// The exit code as a shell reports it: the command's own, 128 + the signal that ended it, 127 if
/// the program does not exist, 126 if it could not be started for another reason.
[[nodiscard]] std::int32_t ExitCodeOf(Ending ending, std::int32_t value);
[[nodiscard]] inline std::int32_t ExitCodeOf(const Ended& ended) {
  return ExitCodeOf(ended.ending, ended.value);
}

/// Result of looking up a file.
enum class FileStatus : std::uint8_t {
  kFound = 1,   ///< a regular file, or a list of files
  kFailed = 2,  ///< see the errno
  kTooMany = 3,
  // Not a regular file:
  kLink = 4,
  kFolder = 5,
  kDevice = 6,
  kSocket = 7,
  kFifo = 8
};

/// Opens a regular file in the directory of a task, for reading, without following links.
/// OpenAnswer answers. While a command runs, this and the next two requests are out of turn.
struct OpenRequest {
  std::string folder;
  std::string path;  ///< relative to the folder, with neither empty components, "." nor ".."
  friend bool operator==(const OpenRequest&, const OpenRequest&) = default;
};

/// With kFound, the descriptor of the file comes with the first byte of the frame (SCM_RIGHTS).
struct OpenAnswer {
  FileStatus status = FileStatus::kFailed;
  std::int32_t error = 0;  ///< errno, with kFailed
  friend bool operator==(const OpenAnswer&, const OpenAnswer&) = default;
};

/// Finds what matches a glob in the directory of a task, except folders, without following links.
/// FoundFiles answers.
struct FindRequest {
  std::string folder;
  std::string glob;             ///< as OpenRequest::path
  std::uint32_t max_files = 0;  ///< at most kMaxPaths; more are kTooMany
  friend bool operator==(const FindRequest&, const FindRequest&) = default;
};

struct FoundFiles {
  FileStatus status = FileStatus::kFound;  ///< or kFailed or kTooMany
  std::int32_t error = 0;                  ///< errno, with kFailed
  std::vector<std::string> paths;          ///< relative to the folder, sorted
  friend bool operator==(const FoundFiles&, const FoundFiles&) = default;
};

/// Removes the directory of a task; if the launcher may not remove the directory itself, all that
/// is in it. RemoveAnswer answers.
struct RemoveRequest {
  std::string folder;
  friend bool operator==(const RemoveRequest&, const RemoveRequest&) = default;
};

struct RemoveAnswer {
  std::int32_t error = 0;  ///< errno; 0: nothing is left
  friend bool operator==(const RemoveAnswer&, const RemoveAnswer&) = default;
};

using Message = std::variant<Hello, Job, Run, Stop, Ended, Progress, Limit, OpenRequest, OpenAnswer,
                             FindRequest, FoundFiles, RemoveRequest, RemoveAnswer>;

/// Appends the message as a frame. It must keep to the bounds.
void AppendFrame(const Message& message, std::string& bytes);

/// Takes a stream of bytes apart into frames. Not thread-safe.
class FrameReader {
 public:
  void Append(std::string_view bytes) { bytes_.append(bytes); }
  /// The next message, or nothing: more bytes are needed, or Broken().
  [[nodiscard]] std::optional<Message> Next();
  /// The input is malformed; there are no more messages.
  [[nodiscard]] bool Broken() const { return broken_; }

 private:
  std::string bytes_;
  std::size_t taken_ = 0;  // of bytes_
  bool broken_ = false;
};

}  // namespace evenkeel::launcher
