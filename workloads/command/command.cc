#include "workloads/command/command.h"

#include <utility>

#include "workloads/command/command_reducer.h"
#include "workloads/command/command_runner.h"
#include "workloads/command/command_spec.h"
#include "workloads/command/reduce_command.h"
#include "workloads/command/task_record.h"

namespace evenkeel::workloads::command {
namespace {

class Command final : public Workload {
 public:
  explicit Command(CommandSpec spec) : spec_(std::move(spec)) {}

  [[nodiscard]] std::string_view Name() const override { return kName; }
  [[nodiscard]] std::uint32_t Version() const override { return kVersion; }
  [[nodiscard]] std::int64_t TaskCount() const override { return spec_.tasks; }
  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    return spec_.costs;
  }
  [[nodiscard]] std::optional<model::RangeBounds> Ranges() const override { return spec_.ranges; }
  [[nodiscard]] bool CostsAreEstimates() const override { return true; }
  [[nodiscard]] std::optional<std::string> WorkerParameters() const override {
    return WorkerParametersOf(spec_);
  }
  [[nodiscard]] bool HasInputs() const override { return spec_.has_arguments; }
  [[nodiscard]] std::string InputOf(model::TaskIndex index) const override {
    return spec_.has_arguments ? std::string(spec_.arguments.At(index)) : std::string();
  }
  [[nodiscard]] bool HasFiles() const override { return spec_.files.Any(); }
  [[nodiscard]] std::int64_t OutputFilesLimit() const override { return spec_.files.output_bytes; }
  [[nodiscard]] std::vector<DeclaredPath> CommonInputFiles() const override {
    return CommonInputs(spec_.files);
  }
  [[nodiscard]] Result<std::vector<DeclaredPath>> InputFilesOf(
      model::TaskIndex index, std::string_view input) const override {
    return InputsOf(spec_.files, index, input);
  }
  [[nodiscard]] bool Continues(const std::string& earlier, const std::string& now) const override {
    return OnlyAppendsTasks(earlier, now);
  }
  [[nodiscard]] std::unique_ptr<TaskRunner> MakeRunner(
      const RunnerOptions& options) const override {
    return MakeCommandRunner(spec_, options);
  }
  [[nodiscard]] std::string RepeatablePartOf(std::string_view result) const override {
    return command::RepeatablePartOf(result);
  }
  [[nodiscard]] std::string WhyNotRepeatable() const override {
    return spec_.ranges ? "with range, nodes run different ranges, whose outputs cannot be compared"
                        : "";
  }
  [[nodiscard]] std::unique_ptr<ReduceCommand> MakeReduceCommand(
      const ReducePlace& place) const override {
    return spec_.reduce.empty() ? nullptr : command::MakeReduceCommand(spec_, place);
  }
  [[nodiscard]] bool ResultsOfFailedJobs() const override { return true; }
  [[nodiscard]] std::unique_ptr<Reducer> MakeReducer() const override {
    return MakeCommandReducer(spec_);
  }

 private:
  const CommandSpec spec_;
};

}  // namespace

Result<std::shared_ptr<const Workload>> MakeCommand(const model::FieldReader& fields,
                                                    const WorkloadContext& context) {
  auto spec = ReadCommandSpec(fields, context);
  if (!spec) return tl::unexpected(spec.error());
  return std::make_shared<Command>(std::move(*spec));
}

}  // namespace evenkeel::workloads::command
