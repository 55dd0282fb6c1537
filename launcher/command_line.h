#pragma once

#include <string>
#include <vector>

#include "launcher/protocol.h"

namespace evenkeel::launcher {

/// Words and variables of a connection's commands, ready for execve(2). Not thread-safe.
class CommandLine {
 public:
  /// `own` are the variables of this process: those of the job go before them.
  CommandLine(Job job, const char* const* own);

  /// Makes them those of one run. False: a position is neither in a list nor just behind it.
  [[nodiscard]] bool Change(const Run& run);

  /// Valid until the next Change; each ends with a null pointer.
  [[nodiscard]] char* const* Words() const { return word_pointers_.data(); }
  [[nodiscard]] char* const* Variables() const { return variable_pointers_.data(); }
  /// Where the program may be: the first word if it has a slash, else one path for each folder in
  /// the command's PATH. evenkeel-range is found everywhere.
  [[nodiscard]] const char* const* Programs() const { return program_pointers_.data(); }
  /// Where to run; null: where this process is.
  [[nodiscard]] const char* Folder() const { return folder_.empty() ? nullptr : folder_.c_str(); }
  [[nodiscard]] const Job& TheJob() const { return job_; }

 private:
  void FindPrograms();

  const Job job_;
  std::vector<std::string> others_;  // variables that the job does not set
  std::string folder_;
  std::vector<std::string> words_;
  std::vector<std::string> variables_;
  std::vector<std::string> programs_;
  std::vector<char*> word_pointers_;
  std::vector<char*> variable_pointers_;
  std::vector<char*> program_pointers_;
};

}  // namespace evenkeel::launcher
