#include "workloads/command/declared_files.h"

#include <algorithm>
#include <utility>

#include "launcher/placeholder.h"

namespace evenkeel::workloads::command {
namespace {

constexpr std::string_view kGlobCharacters = "*?[";
constexpr std::string_view kQuoted = "*?[]\\";  // in text that is inserted into a glob

bool IsGlob(std::string_view declared) {
  return declared.find_first_of(kGlobCharacters) != declared.npos;
}

bool HasPlaceholders(std::string_view declared) {
  return launcher::HasPlaceholder(declared, launcher::kPlaceholder) ||
         launcher::HasPlaceholder(declared, launcher::kIndexPlaceholder);
}

/// Braces around nothing or a lower-case name that are no placeholder of a path; empty: none.
std::string_view UnknownPlaceholder(std::string_view declared) {
  for (auto begin = declared.find('{'); begin != declared.npos;
       begin = declared.find('{', begin + 1)) {
    const auto end = declared.find('}', begin);
    if (end == declared.npos) return {};
    const std::string_view word = declared.substr(begin, end + 1 - begin);
    if (launcher::IsPlaceholder(word) && word != launcher::kPlaceholder &&
        word != launcher::kIndexPlaceholder) {
      return word;
    }
  }
  return {};
}

/// Text that stands for itself in a glob.
std::string Quoted(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (kQuoted.find(c) != kQuoted.npos) quoted += '\\';
    quoted += c;
  }
  return quoted;
}

/// `index` before `argument`, in which a placeholder stands for itself.
std::string Inserted(std::string_view declared, model::TaskIndex index, std::string_view argument) {
  const std::string with_index =
      launcher::ReplacePlaceholder(declared, launcher::kIndexPlaceholder, std::to_string(index));
  return launcher::ReplacePlaceholder(with_index, launcher::kPlaceholder, argument);
}

Result<DeclaredPath> PathOf(const std::string& declared, model::TaskIndex index,
                            std::string_view argument) {
  std::string path = Inserted(declared, index, argument);
  if (const std::string mistake = PathMistake(path); !mistake.empty()) {
    return InvalidInput("its path " + ShownPath(path) + " (" + declared + ") " + mistake);
  }
  if (!IsGlob(declared)) return DeclaredPath{std::move(path), false};
  return DeclaredPath{Inserted(declared, index, Quoted(argument)), true};
}

template <typename Wanted>
Result<std::vector<DeclaredPath>> PathsOf(const std::vector<std::string>& all, Wanted is_wanted,
                                          const char* kind, model::TaskIndex index,
                                          std::string_view argument) {
  std::vector<DeclaredPath> paths;
  for (const std::string& declared : all) {
    if (!is_wanted(declared)) continue;
    auto path = PathOf(declared, index, argument);
    if (!path) return InvalidInput(std::string(kind) + ": " + path.error().message);
    if (std::find(paths.begin(), paths.end(), *path) == paths.end()) {
      paths.push_back(std::move(*path));
    }
  }
  return paths;
}

/// Returns the mistake in a path as it is declared; empty: there is none.
std::string DeclaredMistake(const std::string& declared, bool has_arguments) {
  if (const auto unknown = UnknownPlaceholder(declared); !unknown.empty()) {
    return "must not contain " + std::string(unknown) + ": placeholders are {} and {index}";
  }
  if (!has_arguments && launcher::HasPlaceholder(declared, launcher::kPlaceholder)) {
    return "must not contain {}: the tasks have no arguments";
  }
  // A letter stands for the argument, which is not known yet.
  const std::string mistake = PathMistake(Inserted(declared, 0, "x"));
  return mistake.empty() ? "" : mistake + ", is " + model::Shown(declared);
}

std::vector<std::string> ReadPaths(model::FieldReader& fields, const std::string& field,
                                   bool has_arguments) {
  std::vector<std::string> paths = fields.Strings(field, kMaxDeclaredFiles, kMaxFilePathBytes);
  for (std::size_t n = 0; n < paths.size(); ++n) {
    const std::string name = field + "[" + std::to_string(n) + "]";
    if (auto mistake = DeclaredMistake(paths[n], has_arguments); !mistake.empty()) {
      fields.Fail(name, mistake);
    }
    const auto here = paths.begin() + static_cast<std::ptrdiff_t>(n);
    if (std::find(paths.begin(), here, paths[n]) != here) {
      fields.Fail(name, "is there twice: " + model::Shown(paths[n]));
    }
  }
  return paths;
}

}  // namespace

DeclaredFiles ReadDeclaredFiles(model::FieldReader& fields, bool has_arguments) {
  DeclaredFiles files;
  files.inputs = ReadPaths(fields, "inputs", has_arguments);
  files.outputs = ReadPaths(fields, "outputs", has_arguments);
  files.output_bytes = fields.OptionalInt("outputFilesLimitBytes", {0, kMaxOutputFilesBytes},
                                          kDefaultOutputFilesBytes);
  return files;
}

bool UsesArguments(const DeclaredFiles& files) {
  const auto uses = [](const std::string& declared) {
    return launcher::HasPlaceholder(declared, launcher::kPlaceholder);
  };
  return std::any_of(files.inputs.begin(), files.inputs.end(), uses) ||
         std::any_of(files.outputs.begin(), files.outputs.end(), uses);
}

std::vector<DeclaredPath> CommonInputs(const DeclaredFiles& files) {
  std::vector<DeclaredPath> paths;
  for (const std::string& declared : files.inputs) {
    if (!HasPlaceholders(declared)) paths.push_back({declared, IsGlob(declared)});
  }
  return paths;
}

Result<std::vector<DeclaredPath>> InputsOf(const DeclaredFiles& files, model::TaskIndex index,
                                           std::string_view argument) {
  return PathsOf(files.inputs, HasPlaceholders, "input", index, argument);
}

Result<std::vector<DeclaredPath>> OutputsOf(const DeclaredFiles& files, model::TaskIndex index,
                                            std::string_view argument) {
  return PathsOf(
      files.outputs, [](std::string_view) { return true; }, "output", index, argument);
}

}  // namespace evenkeel::workloads::command
