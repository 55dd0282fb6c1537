#include "cli/kubectl/rerun_command.h"

#include <ostream>
#include <utility>

#include "cli/kubectl/command_end.h"
#include "cli/kubectl/job_object.h"
#include "cli/kubectl/job_words.h"
#include "cli/kubectl/object_places.h"
#include "core/base/clock.h"
#include "core/base/printable.h"
#include "core/model/document.h"
#include "core/model/job_spec.h"
#include "core/model/manifest.h"
#include "core/model/names.h"
#include "core/model/range_set.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

constexpr const char* kNameInfix = "-rerun-";
/// Reruns of one job that may exist at the same time without names of the user's.
constexpr int kMaxReruns = 1000;
constexpr std::size_t kMaxShownName = 80;

/// "thumbnails" of "thumbnails-rerun-2".
std::string FirstJobOf(const std::string& name) {
  const std::size_t infix = name.rfind(kNameInfix);
  if (infix == std::string::npos || infix == 0) return name;
  const std::string number = name.substr(infix + std::string(kNameInfix).size());
  const bool is_number =
      !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? name.substr(0, infix) : name;
}

/// A name that no job has.
Result<std::string> ChooseName(const RerunOptions& options, Cluster& cluster) {
  if (!options.name.empty()) {
    if (model::IsJobName(options.name)) return options.name;
    return InvalidInput("--name: must be " + model::kAllowedJobName + ", is \"" +
                        Printable(options.name, kMaxShownName) + "\"");
  }
  for (int n = 1; n <= kMaxReruns; ++n) {
    std::string name = FirstJobOf(options.job) + kNameInfix + std::to_string(n);
    if (!model::IsJobName(name)) {
      return InvalidInput("--name: is needed, because " + name + " is not " +
                          model::kAllowedJobName);
    }
    const auto found = cluster.Get({kJobs, name});
    if (found) continue;
    if (found.error().code == ErrorCode::kInvalidInput) return name;
    return tl::unexpected(found.error());
  }
  return InvalidInput("--name: is needed, because there are " + std::to_string(kMaxReruns) +
                      " reruns of " + options.job);
}

/// The field spec.rerun.
Result<json> RerunField(const RerunOptions& options, const JobObject& job) {
  if (options.indexes.empty()) return json{{"job", job.name}, {"failed", true}};
  const auto indexes = model::ParseIndexList(options.indexes);
  if (!indexes) return InvalidInput("--indexes: " + indexes.error().message);
  const model::RerunSelection selection{*indexes};
  const auto checked = model::CheckRerun(selection, {}, job.tasks_total, "--indexes");
  if (!checked) return tl::unexpected(checked.error());
  return json{{"job", job.name}, {"indexes", ToString(selection)}};
}

/// Repeats the checks of the operator, so that no job is created that fails at once.
Result<void> CheckEarlierJob(const JobObject& job, const json& spec) {
  if (!job.IsOver()) {
    return Fail(ErrorCode::kUnavailable,
                job.name + " has not ended: " + StateInWords(job, WallClockSeconds()) +
                    "; a rerun needs a job that is Complete or Failed");
  }
  if (job.result_claim.empty()) {
    return InvalidInput(job.name +
                        " has no spec.resultStorage.persistentVolumeClaim: a rerun needs its "
                        "results on a claim");
  }
  if (spec.contains(json::json_pointer("/taskPolicy/successPolicy"))) {
    return InvalidInput(job.name +
                        " has spec.taskPolicy.successPolicy: such a job is complete without the "
                        "tasks that run again");
  }
  if (job.tasks_total == 0) return InvalidInput(job.name + " has failed before any task ran");
  return {};
}

}  // namespace

Result<std::optional<json>> MakeRerun(const RerunOptions& options, Cluster& cluster) {
  if (auto named = CheckJobName(options.job); !named) return tl::unexpected(named.error());
  const auto object = cluster.Get({kJobs, options.job});
  if (!object) return tl::unexpected(object.error());
  const JobObject job = ReadJobObject(*object);
  json spec = ValueAt(*object, "/spec");
  if (auto checked = CheckEarlierJob(job, spec); !checked) return tl::unexpected(checked.error());
  auto rerun = RerunField(options, job);
  if (!rerun) return tl::unexpected(rerun.error());
  const bool all_done = job.tasks_failed == 0 && job.tasks_completed == job.tasks_total;
  if (options.indexes.empty() && all_done) return std::optional<json>();
  auto name = ChooseName(options, cluster);
  if (!name) return tl::unexpected(name.error());

  for (const char* field : {"after", "suspend"}) spec.erase(field);
  spec["rerun"] = std::move(*rerun);
  json metadata{{"name", *name}, {"namespace", job.name_space}};
  const json& labels = ValueAt(*object, "/metadata/labels");
  if (labels.is_object() && !labels.empty()) metadata["labels"] = labels;
  return std::optional(json{{"apiVersion", model::kApiVersion},
                            {"kind", "WeightedJob"},
                            {"metadata", std::move(metadata)},
                            {"spec", std::move(spec)}});
}

int RunRerunCommand(const RerunOptions& options, Cluster& cluster,
                    const platform::BlockedSignals& stop, std::ostream& out, std::ostream& err) {
  const auto manifest = MakeRerun(options, cluster);
  if (!manifest) return Complain(manifest.error(), stop, err);
  if (!*manifest) {
    err << "kubectl-evenkeel: " << options.job << ": no task has failed, nothing runs again\n";
    return kDone;
  }
  if (options.print) {
    out << model::FormatDocument(**manifest) << std::flush;
    return kDone;
  }
  if (auto created = cluster.Create(**manifest); !created) {
    return Complain(created.error(), stop, err);
  }
  out << kJobs << '/' << TextAt(**manifest, "/metadata/name") << " created\n";
  return kDone;
}

}  // namespace evenkeel::cli
