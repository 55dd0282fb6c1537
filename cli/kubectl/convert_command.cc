#include "cli/kubectl/convert_command.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ostream>
#include <sstream>
#include <utility>

#include "cli/kubectl/command_end.h"
#include "cluster/json_fields.h"
#include "core/base/printable.h"
#include "core/model/document.h"
#include "platform/file_descriptor.h"
#include "platform/files.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxInputBytes = std::size_t{64} << 20;
/// Lists in lists, which no tool writes.
constexpr int kMaxListDepth = 4;

std::string NameOf(const json& object) {
  const json& metadata = cluster::Child(object, "metadata");
  const std::string name = cluster::Text(metadata, "name");
  return Printable(name.empty() ? cluster::Text(metadata, "generateName") : name, 253);
}

/// Converts the objects of a text and collects what is wrong with them.
class ManifestConverter {
 public:
  /// `place`: the object in messages, such as "job.yaml: document 2".
  void Add(const json& object, const std::string& place, int depth = 0) {
    const std::string version = cluster::Text(object, "apiVersion");
    const std::string kind = cluster::Text(object, "kind");
    if (version == "batch/v1" && kind == "Job") return AddJob(object, place);
    const bool is_list =
        (version == "v1" && kind == "List") || (version == "batch/v1" && kind == "JobList");
    if (is_list && depth < kMaxListDepth) {
      const json& items = cluster::Items(object, "items");
      for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string inside = place + ": items[" + std::to_string(i) + "]";
        // Items of a JobList need not repeat what they are.
        if (kind == "JobList" && !items[i].contains("kind")) {
          AddJob(items[i], inside);
        } else {
          Add(items[i], inside, depth + 1);
        }
      }
      return;
    }
    const std::string name = NameOf(object);
    Refuse(place, "must be a Job of batch/v1, or a List of them, is " +
                      (kind.empty() ? "an object without kind" : Printable(kind, 63)) +
                      (name.empty() ? "" : " " + name) +
                      (version.empty() ? "" : " of " + Printable(version, 253)));
  }

  [[nodiscard]] Result<std::vector<JobConversion>> Finish(const std::string& file_name) {
    if (conversions_.empty() && refusals_.empty()) Refuse(file_name, "has no Job");
    if (!refusals_.empty()) return InvalidInput(std::move(refusals_));
    return std::move(conversions_);
  }

 private:
  void AddJob(const json& object, const std::string& place) {
    auto converted = ConvertJob(object);
    if (!converted) {
      const std::string name = NameOf(object);
      return Refuse(place + (name.empty() ? "" : ": Job " + name), converted.error().message);
    }
    conversions_.push_back(std::move(*converted));
  }

  void Refuse(const std::string& place, const std::string& why) {
    refusals_ += (refusals_.empty() ? "" : "\n") + place + ": " + why;
  }

  std::vector<JobConversion> conversions_;
  std::string refusals_;  ///< lines
};

Result<std::string> ReadManifests(const std::string& file) {
  if (file != "-") return platform::ReadInputFile(file);
  const platform::FileDescriptor input(::dup(STDIN_FILENO));
  if (!input.IsOpen()) return InvalidInput(std::string("stdin: ") + std::strerror(errno));
  auto text = platform::ReadToEnd(input, kMaxInputBytes);
  if (!text) return InvalidInput("stdin: " + text.error().message);
  return text;
}

/// Each line for itself, so that the user sees which program speaks.
int Refuse(const Error& error, std::ostream& err) {
  std::istringstream lines(error.message);
  for (std::string line; std::getline(lines, line);) err << "kubectl-evenkeel: " << line << '\n';
  return error.code == ErrorCode::kInvalidInput ? kBadInput : kFailed;
}

}  // namespace

Result<std::vector<JobConversion>> ConvertManifests(const std::string& text,
                                                    const std::string& file_name) {
  const auto documents = model::ParseDocuments(text, file_name);
  if (!documents) return tl::unexpected(documents.error());
  ManifestConverter converter;
  for (std::size_t i = 0; i < documents->size(); ++i) {
    const std::string number = documents->size() > 1 ? ": document " + std::to_string(i + 1) : "";
    converter.Add((*documents)[i], file_name + number);
  }
  return converter.Finish(file_name);
}

int RunConvertCommand(const std::string& file, std::ostream& out, std::ostream& err) {
  const auto text = ReadManifests(file);
  if (!text) return Refuse(text.error(), err);
  const auto conversions = ConvertManifests(*text, file == "-" ? "stdin" : file);
  if (!conversions) return Refuse(conversions.error(), err);
  for (std::size_t i = 0; i < conversions->size(); ++i) {
    const JobConversion& conversion = (*conversions)[i];
    const std::string whose =
        conversions->size() > 1 ? "Job " + NameOf(conversion.job) + ": " : std::string();
    for (const std::string& remark : conversion.remarks) {
      err << "kubectl-evenkeel: " << whose << Printable(remark, 1024) << '\n';
    }
    out << (i > 0 ? "---\n" : "") << model::FormatDocument(conversion.job);
  }
  out.flush();
  if (out.good()) return kDone;
  err << "kubectl-evenkeel: the manifest could not be written\n";
  return kFailed;
}

}  // namespace evenkeel::cli
