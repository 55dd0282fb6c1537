#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"

namespace evenkeel {

/// A child process of a test. Killed and reaped at the latest by the destructor.
class Child {
 public:
  /// Starts `arguments[0]` with the token in the environment. Its output is captured.
  explicit Child(const std::vector<std::string>& arguments, const std::string& token = {});
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t Pid() const { return pid_; }
  void Signal(int number) const;
  /// Waits for the end, up to a bound. Exit code, or 128 + signal; nothing if it still runs.
  [[nodiscard]] std::optional<int> AwaitExit();
  /// Next line of its output, without the end of line; waits for it.
  [[nodiscard]] std::string ReadLine();
  /// Returns the rest of its output. Called after its end.
  [[nodiscard]] std::string ReadAll();
  /// User and system time of all its threads so far.
  [[nodiscard]] Duration CpuTime() const;

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::optional<int> exit_;
};

/// True if the process, a child or not, has ended within a bound.
[[nodiscard]] bool AwaitEnd(pid_t process);

/// The content of a file, including bytes that are not text.
[[nodiscard]] std::string Slurp(const std::string& path);

}  // namespace evenkeel
