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
#include "cli/kubectl/output_folder.h"
#include "cli/kubectl/result_list.h"
#include "core/base/clock.h"
#include "core/model/range_set.h"
#include "platform/text.h"
#include "report/summary_json.h"

namespace evenkeel::cli {
namespace {

constexpr std::uint64_t kMaxListBytes = std::uint64_t{1} << 20;
/// The longest list of tasks, and of the output files of a task, has less.
constexpr std::uint64_t kMaxOutputListBytes = std::uint64_t{16} << 20;
constexpr std::size_t kShownPathBytes = 40;  ///< in the line that shows the progress
constexpr std::size_t kShownRanges = 10;

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

std::string Counted(std::int64_t count, const std::string& one) {
  return HumanCount(count) + " " + one + (count == 1 ? "" : "s");
}

/// The output files of the tasks of a job, on their way into a folder.
class OutputTransfer {
 public:
  struct Options {
    std::filesystem::path folder;
    bool partial;          ///< the files of a task may vanish meanwhile
    std::ostream* screen;  ///< as of Downloads
  };
  /// All must outlive it.
  OutputTransfer(const Options& options, CoordinatorPages& pages, std::ostream& err)
      : options_(options), pages_(pages), err_(err) {}

  Result<void> Bring(const model::RangeSet& wanted) {
    auto folder = OutputFolder::Make(options_.folder);
    if (!folder) return tl::unexpected(folder.error());
    Downloads downloads(pages_, folder->Path(), options_.screen);
    std::optional<model::TaskIndex> from = wanted.Front().begin;
    while (from && *from < wanted.Back().end) {
      auto list = ListTasks(*from);
      if (!list) return tl::unexpected(list.error());
      for (const model::IndexRange range : wanted.Ranges()) {
        for (const model::IndexRange part : list->tasks.Within(range)) {
          for (model::TaskIndex task = part.begin; task < part.end; ++task) {
            if (auto brought = BringTask(task, *folder, downloads); !brought) return brought;
          }
        }
      }
      from = list->next;
    }
    return {};
  }

  /// "12 files of 3 tasks, 48.0 MB, in DIR"
  [[nodiscard]] std::string Summary() const {
    return Counted(files_, "file") + " of " + Counted(tasks_.Size(), "task") + ", " +
           HumanBytes(bytes_) + ", in " + options_.folder.string();
  }
  [[nodiscard]] const model::RangeSet& Tasks() const { return tasks_; }

 private:
  [[nodiscard]] Result<OutputTasks> ListTasks(model::TaskIndex from) const {
    const std::string path = kFiles + "?from=" + std::to_string(from);
    const auto text = pages_.FetchText(path, kMaxOutputListBytes);
    if (!text) return tl::unexpected(text.error());
    if (!*text) return Fail(ErrorCode::kInternal, "the coordinator does not have " + kFiles);
    return ReadOutputTasks(**text, from);
  }

  Result<void> BringTask(model::TaskIndex task, const OutputFolder& folder, Downloads& downloads) {
    const std::string name = std::to_string(task);
    const auto text = pages_.FetchText(kFiles + name, kMaxOutputListBytes);
    if (!text) return tl::unexpected(text.error());
    if (!*text) return Vanished(task, downloads);
    const auto files = ReadOutputFiles(**text);
    if (!files) return tl::unexpected(files.error());
    for (const OutputFile& file : *files) {
      const auto got = downloads.Get(kFiles + name + "/" + platform::EncodePercent(file.path, "/"),
                                     folder.ArrivalName(), file.bytes,
                                     Counted(files_, "file") + " so far; " + name + "/" +
                                         Printable(file.path, kShownPathBytes));
      if (!got) return tl::unexpected(got.error());
      if (!*got) return Vanished(task, downloads);
      if (auto placed = folder.Place(name + "/" + file.path); !placed) return placed;
      ++files_;
      bytes_ += **got;
    }
    tasks_.Insert({task, task + 1});
    return {};
  }

  /// A listed file is not there any more.
  Result<void> Vanished(model::TaskIndex task, Downloads& downloads) {
    const std::string what = "the files of task " + std::to_string(task) + " have just gone";
    if (!options_.partial) return Fail(ErrorCode::kInternal, what);
    downloads.ClearProgress();
    err_ << "kubectl-evenkeel: " << what << ": it runs again\n";
    return {};
  }

  static inline const std::string kFiles = "/files/";

  const Options options_;
  CoordinatorPages& pages_;
  std::ostream& err_;
  std::int64_t files_ = 0;
  std::uint64_t bytes_ = 0;
  model::RangeSet tasks_;
};

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
    if (auto free = options_.files.empty() ? CheckFolder() : CheckFilesFolder(); !free) return free;
    const auto object = kubectl_.Get({kJobs, options_.job});
    if (!object) return tl::unexpected(object.error());
    job_ = ReadJobObject(*object);
    if (!job_.Is("Complete") && !options_.partial) {
      return Fail(ErrorCode::kUnavailable,
                  job_.name + " is not complete: " + StateInWords(job_, WallClockSeconds()) +
                      "; --partial brings what there is");
    }
    auto brought = options_.files.empty() ? BringFiles() : BringOutputs();
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
    if (!job_.result_claim.empty()) {
      return "; its results are in the claim " + job_.result_claim +
             (options_.files.empty() ? "" : ", the output files of tasks in files/ there");
    }
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

  Result<void> CheckFilesFolder() const {
    std::error_code error;
    if (!std::filesystem::exists(options_.files, error) ||
        std::filesystem::is_directory(options_.files, error)) {
      return {};
    }
    return InvalidInput("--files: " + options_.files + " is not a folder");
  }

  [[nodiscard]] CoordinatorPages::Options PagesOptions() const {
    return {job_.name_space, job_.name, 5,
            [this](const std::string& line) { err_ << "kubectl-evenkeel: " << line << '\n'; }};
  }

  /// The tasks whose output files are wanted.
  [[nodiscard]] Result<model::RangeSet> WantedTasks() const {
    if (!job_.declares_outputs) {
      return InvalidInput(job_.name +
                          " declares no output files (spec.workload.command.outputs); without "
                          "--files its other results are brought");
    }
    const model::IndexRange all{0, job_.tasks_total};
    if (options_.indexes.empty()) return model::RangeSet(all);
    auto indexes = model::ParseIndexList(options_.indexes);
    if (!indexes) return InvalidInput("--indexes: " + indexes.error().message);
    if (const auto last = indexes->Back().end - 1; !all.Contains(last)) {
      return InvalidInput("--indexes: must be below " + std::to_string(all.end) + ", is " +
                          std::to_string(last));
    }
    return indexes;
  }

  Result<void> BringOutputs() {
    const auto wanted = WantedTasks();
    if (!wanted) return tl::unexpected(wanted.error());
    if (wanted->Empty()) {
      return Fail(ErrorCode::kUnavailable, job_.name + " has not begun: there are no files yet");
    }
    CoordinatorPages pages(kubectl_, PagesOptions(), stop_);
    OutputTransfer transfer({options_.files, options_.partial, options_.terminal ? &err_ : nullptr},
                            pages, err_);
    if (auto brought = transfer.Bring(*wanted); !brought) return brought;
    out_ << transfer.Summary();
    if (!options_.indexes.empty()) {
      model::RangeSet missing = *wanted;
      transfer.Tasks().ForEach([&missing](model::IndexRange range) { missing.Erase(range); });
      if (!missing.Empty()) {
        out_ << "; there are none of " << (missing.Size() == 1 ? "task " : "tasks ")
             << ToIndexString(missing, kShownRanges);
      }
    }
    out_ << '\n';
    return {};
  }

  Result<void> BringFiles() {
    CoordinatorPages pages(kubectl_, PagesOptions(), stop_);
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
    const auto got = downloads.Get(path, name, bytes, name);
    if (!got) return tl::unexpected(got.error());
    downloads.ClearProgress();
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
