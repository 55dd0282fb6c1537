#include "coordinator/service/plan_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "coordinator/service/control_tokens.h"
#include "core/model/document.h"
#include "core/model/field_reader.h"
#include "core/model/job_parsing.h"
#include "core/model/names.h"
#include "platform/files.h"

namespace evenkeel::coordinator {
namespace {

constexpr std::size_t kMaxPlanBytes = 4 << 20;
constexpr std::size_t kMaxPemBytes = 256 << 10;
constexpr std::size_t kMaxNodes = 10'000;
// Bounds of what a history may say of a node.
constexpr double kLeastRate = 1e-30;
constexpr double kMaxRate = 1e30;
constexpr double kLeastSigma = 0.01;
constexpr std::size_t kMaxNameBytes = 253;
constexpr double kMaxWatts = 100'000;

Result<std::string> ReadNonEmptyFile(const std::string& file, std::size_t max_bytes) {
  auto text = platform::ReadRegularFile(file, max_bytes);
  if (text && text->empty()) return InvalidInput(file + ": is empty");
  return text;
}

Result<void> ReadInto(const std::string& file, std::size_t max_bytes, std::string& text) {
  auto read = ReadNonEmptyFile(file, max_bytes);
  if (!read) return tl::unexpected(read.error());
  text = std::move(*read);
  return {};
}

Result<void> ReadJob(const ServiceOptions& options, const workloads::Registry& registry,
                     ServicePlan& plan) {
  auto read = ReadJobFile(options, registry);
  if (!read) return tl::unexpected(read.error());
  plan.version = std::move(*read);
  return {};
}

Result<void> ReadNodes(const ServiceOptions& options, ServicePlan& plan) {
  const auto text = ReadNonEmptyFile(options.nodes_file, kMaxPlanBytes);
  if (!text) return tl::unexpected(text.error());
  auto nodes = ParsePlannedNodes(*text, options.nodes_file);
  if (!nodes) return tl::unexpected(nodes.error());
  plan.nodes = std::move(*nodes);
  return {};
}

Result<void> ReadSecrets(const ServiceOptions& options, ServicePlan& plan) {
  auto tokens = ReadControlTokens(options.control_token_file);
  if (!tokens) return tl::unexpected(tokens.error());
  plan.control_tokens = std::move(*tokens);
  return ReadInto(options.tls_ca, kMaxPemBytes, plan.tls.ca_pem)
      .and_then(
          [&] { return ReadInto(options.tls_certificate, kMaxPemBytes, plan.tls.certificate_pem); })
      .and_then([&] { return ReadInto(options.tls_key, kMaxPemBytes, plan.tls.key_pem); });
}

model::NodePower ReadPower(model::FieldReader& fields) {
  model::NodePower power;
  power.full_watts = fields.RequiredNumber("powerWatts", {0, kMaxWatts, true});
  power.idle_watts = fields.OptionalNumber("idlePowerWatts", {0, power.full_watts}, 0);
  return power;
}

Result<void> CheckInputs(const ServiceOptions& options) {
  std::error_code error;
  if (options.inputs.empty() || std::filesystem::is_directory(options.inputs, error)) return {};
  return InvalidInput("--inputs: " + options.inputs + " is not a folder");
}

}  // namespace

Result<SharedJobVersion> ReadJobFile(const ServiceOptions& options,
                                     const workloads::Registry& registry) {
  const auto text = ReadNonEmptyFile(options.job_file, kMaxPlanBytes);
  if (!text) return tl::unexpected(text.error());
  auto job = model::ParseJob(*text, options.job_file);
  if (!job) return tl::unexpected(job.error());
  // The folder is the user's; this process has keys and a token, too.
  workloads::WorkloadContext context{options.inputs, false, true, {}};
  if (!options.learned_costs.empty()) {
    context.learned_costs = LearnedCostsFile(options.learned_costs, *job);
  }
  const auto workload = registry.Make(job->workload, job->workload_parameters, context);
  if (!workload) return InvalidInput(options.job_file + ": " + workload.error().message);
  if (const auto checked = CheckJob(*job, **workload); !checked) {
    return InvalidInput(options.job_file + ": " + checked.error().message);
  }
  if (job->rerun.has_value() == options.earlier.empty()) {
    return InvalidInput(options.job_file + ": spec.rerun and --earlier must be there together");
  }
  return std::make_shared<const JobVersion>(std::move(*job), *workload);
}

Result<std::vector<engine::ExpectedNode>> ParsePlannedNodes(const std::string& text,
                                                            const std::string& file_name) {
  const auto document = model::ParseDocument(text, file_name);
  if (!document) return tl::unexpected(document.error());
  if (!document->is_array() || document->empty() || document->size() > kMaxNodes) {
    return InvalidInput(file_name + ": must be a list of 1 to " + std::to_string(kMaxNodes) +
                        " nodes");
  }
  std::vector<engine::ExpectedNode> nodes;
  std::set<std::string> names;
  for (std::size_t i = 0; i < document->size(); ++i) {
    model::FieldReader fields((*document)[i], "[" + std::to_string(i) + "]");
    fields.AllowUnknownFields();  // a later operator may say more
    engine::ExpectedNode node;
    node.name = fields.RequiredString("name", kMaxNameBytes);
    node.ratio = fields.RequiredNumber("ratio", {0, engine::kMaxRatio, true});
    if (fields.Has("rate"))
      node.rate = fields.RequiredNumber("rate", {kLeastRate, kMaxRate, false});
    if (fields.Has("sigma")) node.sigma = fields.RequiredNumber("sigma", {kLeastSigma, 1, false});
    node.left_out = fields.OptionalBool("leftOut", false);
    if (fields.Has("powerWatts")) node.power = ReadPower(fields);
    if (!model::IsDnsSubdomain(node.name)) {
      fields.Fail("name", "must be " + model::kAllowedDnsSubdomain);
    } else if (!names.insert(node.name).second) {
      fields.Fail("name", "is there twice: " + node.name);
    }
    if (const auto read = fields.Finish(); !read) {
      return InvalidInput(file_name + ": " + read.error().message);
    }
    nodes.push_back(std::move(node));
  }
  const bool any =
      std::any_of(nodes.begin(), nodes.end(), [](const auto& node) { return !node.left_out; });
  if (!any) return InvalidInput(file_name + ": leaves out all nodes");
  return nodes;
}

Result<ServicePlan> ReadPlan(const ServiceOptions& options, const workloads::Registry& registry) {
  ServicePlan plan;
  const auto read = ReadJob(options, registry, plan)
                        .and_then([&] { return ReadNodes(options, plan); })
                        .and_then([&] { return ReadSecrets(options, plan); })
                        .and_then([&] { return CheckInputs(options); });
  if (!read) return tl::unexpected(read.error());
  return plan;
}

}  // namespace evenkeel::coordinator
