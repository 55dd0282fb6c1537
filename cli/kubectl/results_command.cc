#include "cli/kubectl/results_command.h"

#include <filesystem>
#include <ostream>
#include <vector>

#include "cli/human_text.h"
#include "cli/kubectl/command_end.h"
#include "cli/kubectl/coordinator_pod.h"
#include "cli/kubectl/download.h"
#include "cli/kubectl/job_object.h"
#include "cli/kubectl/job_words.h"
#include "cli/kubectl/result_list.h"
#include "core/base/clock.h"
#include "report/summary_json.h"

namespace evenkeel::cli {
namespace {

constexpr std::uint64_t kMaxListBytes = std::uint64_t{1} << 20;

/// A page and the file it becomes. The summary comes last: one that says Complete must not stand
/// beside results that are missing.
struct Page {
  const char* name;
  bool required;
};
constexpr Page kPages[] = {{"metrics.prom", false},
                           {"timeline.jsonl", true},
                           {"report.html", true},
                           {"summary.json", true}};

class Results {
 public:
  Results(const ResultsOptions& options, Kubectl& kubectl, const platform::BlockedSignals& stop,
          std::ostream& out, std::ostream& err)
      : options_(options),
        kubectl_(kubectl),
        stop_(stop),
        out_(out),
        err_(err),
        folder_(options.output.empty() ? "evenkeel-" + options.job : options.output) {}

  Result<void> Bring() {
    if (auto named = CheckJobName(options_.job); !named) return named;
    if (auto free = CheckFolder(); !free) return free;
    const auto object = kubectl_.Get({kJobs, options_.job});
    if (!object) return tl::unexpected(object.error());
    job_ = ReadJobObject(*object);
    if (!job_.Is("Complete") && !options_.partial) {
      return Fail(ErrorCode::kUnavailable,
                  job_.name + " is not complete: " + StateInWords(job_, WallClockSeconds()) +
                      "; --partial brings what there is");
    }
    auto brought = BringFiles();
    if (!brought && CoordinatorHasGone()) brought.error().message += WhereResultsAre();
    return brought;
  }

 private:
  /// A job that is over gets no other coordinator.
  [[nodiscard]] bool CoordinatorHasGone() const {
    if (!job_.IsOver()) return false;
    const auto found = FindCoordinator(kubectl_, job_.name_space, job_.name);
    return !found && found.error().code == ErrorCode::kInternal;
  }

  [[nodiscard]] std::string WhereResultsAre() const {
    if (!job_.result_claim.empty()) return "; its results are in the claim " + job_.result_claim;
    return "; without a claim (spec.resultStorage) its results went with it";
  }

  /// Another job's folder would become a mixture of both.
  Result<void> CheckFolder() const {
    std::error_code error;
    if (std::filesystem::exists(folder_, error) && !std::filesystem::is_directory(folder_, error)) {
      return InvalidInput("--output: " + folder_.string() + " is not a folder");
    }
    const auto summary = report::ReadSummary(folder_ / "summary.json");
    if (summary && summary->job != options_.job) {
      return Fail(ErrorCode::kConflict, "--output: " + folder_.string() + " is that of the job " +
                                            Printable(summary->job, 80) + "; take another");
    }
    return {};
  }

  Result<void> BringFiles() {
    CoordinatorPages pages(
        kubectl_,
        {job_.name_space, job_.name, 5,
         [this](const std::string& line) { err_ << "kubectl-evenkeel: " << line << '\n'; }},
        stop_);
    const auto list = pages.FetchText("/results/", kMaxListBytes);
    if (!list) return tl::unexpected(list.error());
    std::vector<ResultFile> files;
    if (*list) {
      auto read = ReadResultList(**list);
      if (!read) return tl::unexpected(read.error());
      files = *std::move(read);
    }
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) return InvalidInput("--output: " + folder_.string() + ": " + error.message());

    Downloads downloads(pages, folder_, options_.terminal ? &err_ : nullptr);
    for (const ResultFile& file : files) {
      std::filesystem::create_directory((folder_ / file.name).parent_path(), error);
      if (auto got = Bring(downloads, "/results/" + file.name, file.name, file.bytes, true); !got) {
        return got;
      }
    }
    for (const Page& page : kPages) {
      const bool required = page.required && !options_.partial;
      if (auto got = Bring(downloads, std::string("/") + page.name, page.name, {}, required);
          !got) {
        return got;
      }
    }
    return {};
  }

  Result<void> Bring(Downloads& downloads, const std::string& path, const std::string& name,
                     std::optional<std::uint64_t> bytes, bool required) {
    const auto got = downloads.Get(path, name, bytes);
    if (!got) return tl::unexpected(got.error());
    if (*got) {
      out_ << (folder_ / name).string() << "  " << HumanBytes(**got) << '\n';
    } else if (required) {
      return Fail(ErrorCode::kInternal, "the coordinator does not have " + path + " (yet)");
    }
    return {};
  }

  const ResultsOptions& options_;
  Kubectl& kubectl_;
  const platform::BlockedSignals& stop_;
  std::ostream& out_;
  std::ostream& err_;
  std::filesystem::path folder_;
  JobObject job_;
};

}  // namespace

int RunResultsCommand(const ResultsOptions& options, Kubectl& kubectl,
                      const platform::BlockedSignals& stop, std::ostream& out, std::ostream& err) {
  const auto brought = Results(options, kubectl, stop, out, err).Bring();
  return brought ? kDone : Complain(brought.error(), stop, err);
}

}  // namespace evenkeel::cli
