#include "tests/unit/workloads/job_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <latch>
#include <system_error>
#include <thread>

#include "core/base/rng.h"
#include "workloads/built_in.h"
#include "workloads/little_endian.h"

namespace evenkeel::workloads {

std::shared_ptr<const Workload> MakeOrFail(const std::string& name, const std::string& parameters) {
  auto made = BuiltInWorkloads().Make(name, parameters, {});
  if (made) return *made;
  ADD_FAILURE() << made.error().message;
  return nullptr;
}

std::string ParameterError(const std::string& name, const std::string& parameters) {
  const auto made = BuiltInWorkloads().Make(name, parameters, {});
  if (made) return "";
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidInput);
  return made.error().message;
}

void ExpectRefused(const std::string& workload, const std::vector<ErrorCase>& cases) {
  for (const ErrorCase& each : cases) {
    EXPECT_EQ(ParameterError(workload, each.parameters),
              "spec.workload." + workload + "." + each.want);
  }
}

std::string ResultOf(const Workload& workload, model::TaskIndex task) {
  std::string result;
  TaskFailure failure;
  const auto runner = workload.MakeRunner({});
  EXPECT_EQ(runner->Run({task, 0, workload.InputOf(task)}, {}, result, failure), TaskOutcome::kDone)
      << failure.reason;
  return result;
}

model::PackedResults RunRange(const Workload& workload, model::IndexRange range) {
  model::PackedResults results;
  const auto runner = workload.MakeRunner({});
  for (model::TaskIndex task = range.begin; task < range.end; ++task) {
    std::string result;
    TaskFailure failure;
    EXPECT_EQ(runner->Run({task, 0, workload.InputOf(task)}, {}, result, failure),
              TaskOutcome::kDone)
        << failure.reason;
    results.Append(result);
  }
  return results;
}

TaskOutcome StopMidRun(const Workload& workload, model::TaskIndex task) {
  const auto runner = workload.MakeRunner({});
  std::string result;
  TaskOutcome outcome = TaskOutcome::kDone;
  std::latch started(1);
  std::jthread thread([&](std::stop_token stop) {
    started.count_down();
    TaskFailure failure;
    outcome = runner->Run({task, 0, {}}, stop, result, failure);
  });
  started.wait();
  // Lets the task get going; the outcome is the same if it has not.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto asked = std::chrono::steady_clock::now();
  thread.request_stop();
  thread.join();
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(10));
  EXPECT_EQ(result, "");
  return outcome;
}

std::vector<model::IndexRange> ShuffledRanges(std::int64_t task_count, std::int64_t longest,
                                              std::uint64_t seed) {
  Rng rng(seed);
  std::vector<model::IndexRange> ranges;
  for (model::TaskIndex begin = 0; begin < task_count;) {
    const model::TaskIndex end = std::min(task_count, begin + rng.Between(1, longest));
    ranges.push_back({begin, end});
    begin = end;
  }
  for (std::size_t left = ranges.size(); left > 1; --left) {
    std::swap(ranges[left - 1], ranges[static_cast<std::size_t>(rng.Below(left))]);
  }
  return ranges;
}

std::string RunJob(const Workload& workload, const std::vector<model::IndexRange>& ranges,
                   const std::filesystem::path& folder) {
  const auto reducer = workload.MakeReducer();
  if (const auto begun = reducer->Begin(folder); !begun) return begun.error().message;
  for (const model::IndexRange range : ranges) {
    const auto added = reducer->Add(range, RunRange(workload, range));
    if (!added) return added.error().message;
  }
  const auto result = reducer->Finish(folder);
  return result ? *result : result.error().message;
}

std::string RunJob(const Workload& workload) {
  const TempFolder folder;
  return RunJob(workload, {{0, workload.TaskCount()}}, folder.Path());
}

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "evenkeel-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ContentOf(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

NpyFile ReadNpy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  NpyFile npy;
  if (bytes.size() < 10 || bytes.substr(0, 8) != std::string("\x93NUMPY\x01\x00", 8)) {
    ADD_FAILURE() << path << " does not begin like an array";
    return npy;
  }
  npy.data_offset =
      10u + static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
  npy.dictionary = bytes.substr(10, npy.data_offset - 10);
  EXPECT_EQ(npy.dictionary.back(), '\n');
  npy.dictionary.erase(npy.dictionary.find_last_not_of(" \n") + 1);
  EXPECT_EQ((bytes.size() - npy.data_offset) % 8, 0u);
  for (std::size_t at = npy.data_offset; at + 8 <= bytes.size(); at += 8) {
    npy.elements.push_back(ReadLittleEndian(bytes, at));
  }
  return npy;
}

}  // namespace evenkeel::workloads
