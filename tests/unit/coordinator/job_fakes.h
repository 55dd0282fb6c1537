#pragma once

#include <memory>
#include <string>
#include <utility>

#include "coordinator/job_version.h"

namespace evenkeel::coordinator {

/// Tasks of equal cost that are never run. Tasks can be appended.
class FakeWorkload final : public workloads::Workload {
 public:
  explicit FakeWorkload(std::int64_t tasks, std::int64_t bytes_on_disk = 0)
      : tasks_(tasks), bytes_on_disk_(bytes_on_disk) {}

  [[nodiscard]] std::string_view Name() const override { return "fake"; }
  [[nodiscard]] std::uint32_t Version() const override { return 1; }
  [[nodiscard]] std::int64_t TaskCount() const override { return tasks_; }
  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    return std::make_shared<model::UnitCosts>(tasks_);
  }
  [[nodiscard]] bool Continues(const std::string&, const std::string&) const override {
    return true;
  }
  [[nodiscard]] std::int64_t BytesOnDisk() const override { return bytes_on_disk_; }
  [[nodiscard]] std::unique_ptr<workloads::TaskRunner> MakeRunner(
      const workloads::RunnerOptions&) const override {
    return nullptr;
  }
  [[nodiscard]] std::unique_ptr<workloads::Reducer> MakeReducer() const override {
    return std::make_unique<FakeReducer>();
  }

 private:
  class FakeReducer final : public workloads::Reducer {
   public:
    Result<void> Add(model::IndexRange, const model::PackedResults&) override { return {}; }
    Result<std::string> Finish(const std::filesystem::path&) override { return std::string("{}"); }
  };

  std::int64_t tasks_;
  std::int64_t bytes_on_disk_;
};

inline model::JobSpec FakeSpec(std::string name = "job") {
  model::JobSpec spec;
  spec.name = std::move(name);
  spec.workload = "fake";
  spec.workload_parameters = "{}";
  return spec;
}

}  // namespace evenkeel::coordinator
