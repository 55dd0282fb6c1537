#include "launcher/command_line.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "launcher/item_lines.h"
#include "launcher/range.h"

namespace evenkeel::launcher {
namespace {

constexpr std::string_view kPath = "PATH=";
constexpr std::string_view kUsualPath = "/bin:/usr/bin";  // where there is none, as execvp(3)

std::string_view NameOf(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

bool Apply(const std::vector<Change>& changes, std::vector<std::string>& list) {
  for (const auto& change : changes) {
    if (change.position > list.size()) return false;
    if (change.position == list.size()) list.emplace_back();
    list[change.position] = change.text;
  }
  return true;
}

std::string NumberVariable(std::string_view name, int number) {
  return std::string(name) + '=' + std::to_string(number);
}

void Point(std::vector<std::string>& texts, std::vector<char*>& pointers) {
  for (std::string& text : texts) pointers.push_back(text.data());
}

}  // namespace

CommandLine::CommandLine(Job job, const char* const* own) : job_(std::move(job)) {
  for (; *own != nullptr; ++own) {
    const std::string_view name = NameOf(*own);
    // Descriptors of this process, if it has such, are not those of its commands.
    if (name == kProgressVariable || name == kControlVariable) continue;
    const bool replaced =
        std::any_of(job_.variables.begin(), job_.variables.end(),
                    [name](const std::string& variable) { return NameOf(variable) == name; });
    if (!replaced) others_.emplace_back(*own);
  }
  if (!job_.follows_progress) return;
  others_.push_back(NumberVariable(kProgressVariable, kProgressDescriptor));
  others_.push_back(NumberVariable(kControlVariable, kControlDescriptor));
}

bool CommandLine::Change(const Run& run) {
  folder_ = run.folder.empty() ? job_.folder : run.folder;
  words_ = job_.words;
  variables_ = job_.variables;
  if (!Apply(run.words, words_) || !Apply(run.variables, variables_)) return false;
  FindPrograms();
  word_pointers_.clear();
  variable_pointers_.clear();
  program_pointers_.clear();
  Point(words_, word_pointers_);
  Point(variables_, variable_pointers_);
  Point(others_, variable_pointers_);
  Point(programs_, program_pointers_);
  word_pointers_.push_back(nullptr);
  variable_pointers_.push_back(nullptr);
  program_pointers_.push_back(nullptr);
  return true;
}

void CommandLine::FindPrograms() {
  const std::string& name = words_.front();
  programs_.clear();
  if (name.empty() || name.find('/') != std::string::npos) {
    programs_.push_back(name);
    return;
  }
  std::string_view folders = kUsualPath;
  for (const auto* list : {&variables_, &others_}) {
    const auto path = std::find_if(list->begin(), list->end(), [](const auto& variable) {
      return variable.starts_with(kPath);
    });
    if (path == list->end()) continue;
    folders = std::string_view(*path).substr(kPath.size());
    break;
  }
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string_view folder = folders.substr(begin, end - begin);
    programs_.push_back((folder.empty() ? "." : std::string(folder)) + "/" + name);
    begin = end + 1;
  }
  // This program is also evenkeel-range, whether or not a folder of PATH has it.
  if (name == kRangeProgram) programs_.emplace_back("/proc/self/exe");
}

}  // namespace evenkeel::launcher
