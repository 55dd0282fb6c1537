#include "cli/kubectl/top_command.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <ostream>
#include <tuple>

#include "cli/human_text.h"
#include "cli/kubectl/command_end.h"
#include "cli/kubectl/coordinator_pages.h"
#include "cli/kubectl/top_view.h"
#include "core/base/clock.h"
#include "report/summary_json.h"

namespace evenkeel::cli {
namespace {

constexpr Duration kInterval = std::chrono::seconds(2);
constexpr std::uint64_t kMaxSummaryBytes = std::uint64_t{16} << 20;
/// Without a terminal everything is printed.
constexpr TerminalSize kPaper{160, 10'000};

using Lines = std::vector<std::string>;
/// Returns the lines to display now.
using Look = std::function<Result<Lines>(TerminalSize size)>;

Result<Lines> LookAtJobs(const TopOptions& options, Kubectl& kubectl, TerminalSize size) {
  std::vector<std::string> words{kJobs};
  if (options.all_namespaces) words.emplace_back("--all-namespaces");
  const auto list = kubectl.Get(words);
  if (!list) return tl::unexpected(list.error());
  std::vector<JobObject> jobs;
  if (list->contains("items") && (*list)["items"].is_array()) {
    for (const auto& item : (*list)["items"]) jobs.push_back(ReadJobObject(item));
  }
  std::sort(jobs.begin(), jobs.end(), [](const JobObject& a, const JobObject& b) {
    return std::tie(a.name_space, a.name) < std::tie(b.name_space, b.name);
  });
  return JobListLines(jobs, options.all_namespaces, WallClockSeconds(), size);
}

/// Looks at one job; the connection to its coordinator is kept between looks.
class JobLook {
 public:
  JobLook(const TopOptions& options, Kubectl& kubectl, const platform::BlockedSignals& stop)
      : options_(options), kubectl_(kubectl), stop_(stop) {}

  Result<Lines> operator()(TerminalSize size) {
    const auto object = kubectl_.Get({kJobs, options_.job});
    if (!object) return tl::unexpected(object.error());
    const JobObject job = ReadJobObject(*object);
    return JobTopLines(job, Live(job), WallClockSeconds(), size);
  }

 private:
  /// Without permission to forward ports, the status is displayed, which is a few seconds old.
  std::optional<model::RunSummary> Live(const JobObject& job) {
    if (!job.IsRunning() || !reachable_) return std::nullopt;
    if (!pages_) {
      pages_.emplace(kubectl_, CoordinatorPages::Options{job.name_space, job.name, 1, {}}, stop_);
    }
    const auto page = pages_->FetchText("/summary.json", kMaxSummaryBytes);
    if (!page) {
      reachable_ = page.error().code != ErrorCode::kUnavailable || ++failures_ < kMaxFailures;
      return std::nullopt;
    }
    failures_ = 0;
    if (!*page) return std::nullopt;
    const auto summary = report::SummaryFromJson(**page);
    return summary ? std::optional(*summary) : std::nullopt;
  }

  static constexpr int kMaxFailures = 3;  // in a row

  const TopOptions& options_;
  Kubectl& kubectl_;
  const platform::BlockedSignals& stop_;
  std::optional<CoordinatorPages> pages_;
  bool reachable_ = true;
  int failures_ = 0;
};

Result<void> Print(const Look& look, std::ostream& out) {
  const auto lines = look(kPaper);
  if (!lines) return tl::unexpected(lines.error());
  for (const std::string& line : *lines) out << line << '\n';
  return {};
}

/// Draws until a signal comes. A later failure is displayed, because it may be temporary.
Result<void> Watch(const Look& look, const platform::BlockedSignals& stop, std::ostream& out) {
  LiveLines screen(out);
  Lines last;
  for (bool first = true;; first = false) {
    const TerminalSize size = SizeOfTerminal();
    auto lines = look(size);
    if (stop.Arrived()) return {};
    const bool gone = !lines && lines.error().code != ErrorCode::kUnavailable;
    if (!lines && (first || gone)) return tl::unexpected(lines.error());
    if (lines) {
      last = *std::move(lines);
      screen.Draw(last);
    } else {
      Lines shown = last;
      shown.push_back(Clipped("(" + lines.error().message + ")", size.columns));
      screen.Draw(shown);
    }
    if (stop.WaitFor(kInterval)) return {};
  }
}

}  // namespace

int RunTopCommand(const TopOptions& options, Kubectl& kubectl, const platform::BlockedSignals& stop,
                  std::ostream& out, std::ostream& err) {
  if (!options.job.empty()) {
    if (const auto named = CheckJobName(options.job); !named) {
      return Complain(named.error(), stop, err);
    }
  }
  JobLook job_look(options, kubectl, stop);
  const Look look = [&](TerminalSize size) {
    return options.job.empty() ? LookAtJobs(options, kubectl, size) : job_look(size);
  };
  const auto shown = options.terminal ? Watch(look, stop, out) : Print(look, out);
  return shown ? kDone : Complain(shown.error(), stop, err);
}

}  // namespace evenkeel::cli
