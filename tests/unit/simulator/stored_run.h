#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "report/summary_json.h"

namespace evenkeel::simulator {

/// A folder with a small run: twelve tasks of which each takes a second on a core of speed 1, eight
/// of them on `fast` (speed 2) and four on `slow` (speed 1), by TailStealing in 4.03 s.
class StoredRun {
 public:
  explicit StoredRun(const std::string& name)
      : folder_(std::filesystem::temp_directory_path() /
                ("evenkeel-stored-" + std::to_string(getpid()) + name)) {
    std::filesystem::create_directories(folder_);
    summary_.job = "stored";
    summary_.state = model::JobState::kComplete;
    summary_.strategy = "TailStealing";
    summary_.tasks_total = summary_.tasks_completed = 12;
    summary_.makespan_seconds = 4.03;
    summary_.startup_seconds = 0.02;
    summary_.lower_bound_seconds = 4;
    summary_.efficiency = 4 / 4.03;
    summary_.rate_source = "declared";
    summary_.nodes = {Node("fast", 2, 8), Node("slow", 1, 4)};
    Write();
  }
  StoredRun(const StoredRun&) = delete;
  StoredRun& operator=(const StoredRun&) = delete;
  ~StoredRun() { std::filesystem::remove_all(folder_); }

  [[nodiscard]] const std::filesystem::path& Folder() const { return folder_; }
  [[nodiscard]] model::RunSummary& Summary() { return summary_; }
  [[nodiscard]] std::string& Timeline() { return timeline_; }
  /// After a change.
  void Write() const {
    std::ofstream(folder_ / "timeline.jsonl") << timeline_;
    std::ofstream(folder_ / "summary.json") << report::SummaryToJson(summary_).value();
  }

 private:
  static model::NodeSummary Node(const std::string& name, double speed, std::int64_t tasks) {
    model::NodeSummary node;
    node.name = name;
    node.ratio = speed;
    node.share = static_cast<double>(tasks) / 12;
    node.completed = tasks;
    node.busy_seconds = 4;
    node.mean_rate = static_cast<double>(tasks) / 4;  // tasks a second
    node.declared_speed = speed;
    return node;
  }

  std::filesystem::path folder_;
  model::RunSummary summary_;
  std::string timeline_ =
      R"({"kind":"joined","worker":"fast","start":0.010000}
{"kind":"joined","worker":"slow","start":0.020000}
{"worker":"fast","start":0.020000,"end":2.020000,"range":[0,4],"kind":"planned","busy":2.000000}
{"worker":"fast","start":2.020000,"end":4.020000,"range":[4,8],"kind":"planned","busy":2.000000}
{"worker":"slow","start":0.020000,"end":4.020000,"range":[8,12],"kind":"planned","busy":4.000000}
{"kind":"eta","start":1.000000,"end":4.030000,"sigma":0.100000}
)";
};

}  // namespace evenkeel::simulator
