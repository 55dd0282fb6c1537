#include "cli/run_plan.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cli/energy_plan.h"
#include "cli/job_environment.h"
#include "coordinator/control_groups.h"
#include "core/model/job_parsing.h"
#include "core/model/node_parsing.h"
#include "core/model/policy_parsing.h"
#include "core/scheduling/energy/energy_choice.h"
#include "core/scheduling/fuzzy/builtin_policies.h"
#include "core/scheduling/fuzzy/weight_estimation.h"
#include "platform/files.h"
#include "worker/machine.h"

namespace evenkeel::cli {
namespace {

/// Folder of a file; "." for a bare name.
std::filesystem::path FolderOf(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

/// The file of learned costs in the user's folder of states (XDG Base Directory Specification);
/// empty if the user has no home.
std::filesystem::path LearnedCostsOf(const model::JobSpec& job) {
  const char* const state = std::getenv("XDG_STATE_HOME");
  const char* const home = std::getenv("HOME");
  std::filesystem::path states;
  if (state != nullptr && *state == '/') {
    states = state;
  } else if (home != nullptr && *home == '/') {
    states = std::filesystem::path(home) / ".local/state";
  } else {
    return {};
  }
  return coordinator::LearnedCostsFile(states / "evenkeel" / "learned-costs", job);
}

Result<void> OverrideStrategy(const RunOptions& options, model::JobSpec& job) {
  if (options.strategy.empty()) return {};
  const auto strategy = model::ParseStrategyName(options.strategy);
  if (!strategy) {
    std::string allowed;
    for (const auto name : model::AllStrategies()) {
      allowed += (allowed.empty() ? "" : ", ") + model::ToString(name);
    }
    return InvalidInput("--strategy: must be one of " + allowed + ", is \"" + options.strategy +
                        "\"");
  }
  if (job.balancing.objective == model::Objective::kEnergy &&
      *strategy != model::StrategyName::kTailStealing) {
    return InvalidInput("--strategy: " + options.job_file +
                        " has objective Energy, which needs TailStealing, is \"" +
                        options.strategy + "\"");
  }
  job.balancing.strategy = *strategy;
  return {};
}

Result<void> OverrideSeed(const RunOptions& options, model::JobSpec& job) {
  if (!options.seed) return {};
  if (job.workload != "synthetic") {
    return InvalidInput("--seed: only the workload synthetic takes it, " + options.job_file +
                        " has " + job.workload);
  }
  auto parameters = nlohmann::json::parse(job.workload_parameters);
  parameters["seed"] = *options.seed;
  job.workload_parameters = parameters.dump();
  return {};
}

Result<model::JobSpec> ReadJob(const RunOptions& options) {
  const auto text = platform::ReadInputFile(options.job_file);
  if (!text) return tl::unexpected<Error>(text.error());
  auto job = model::ParseJob(*text, options.job_file);
  if (!job) return job;
  if (job->suspend) {
    return InvalidInput(options.job_file +
                        ": spec.suspend: the job is suspended; set it to false to run it");
  }
  if (job->rerun) {
    return InvalidInput(
        options.job_file +
        ": spec.rerun: is for jobs of a cluster; use --rerun-failed DIR, or --rerun "
        "DIR with --indexes LIST");
  }
  if (auto overridden = OverrideStrategy(options, *job); !overridden) {
    return tl::unexpected<Error>(overridden.error());
  }
  if (auto overridden = OverrideSeed(options, *job); !overridden) {
    return tl::unexpected<Error>(overridden.error());
  }
  return job;
}

Result<std::vector<model::NodeProfile>> ReadNodes(const RunOptions& options, RunPlan& plan) {
  const auto text = platform::ReadInputFile(options.nodes_file);
  if (!text) return tl::unexpected<Error>(text.error());
  auto all = model::ParseNodes(*text, options.nodes_file);
  if (!all) return all;
  std::vector<model::NodeProfile> nodes;
  std::copy_if(all->begin(), all->end(), std::back_inserter(nodes), [&](const auto& node) {
    return model::MissingLabels(node, plan.job().node_selector).empty() &&
           model::Matches(plan.job().node_affinity, node);
  });
  if (nodes.empty()) {
    const bool by_affinity = !plan.job().node_affinity.terms.empty();
    return InvalidInput(options.job_file + ": spec.nodes.selector" +
                        (by_affinity ? " and spec.worker.template.affinity: fit" : ": fits") +
                        " none of the " + std::to_string(all->size()) + " nodes of " +
                        options.nodes_file);
  }
  const auto most = static_cast<std::size_t>(plan.job().max_workers);
  if (nodes.size() > most) {
    plan.notes.push_back("spec.nodes.maxWorkers: only the first " + std::to_string(most) + " of " +
                         std::to_string(nodes.size()) + " nodes are used");
    nodes.resize(most);
  }
  return nodes;
}

Result<model::WeightingPolicy> ReadPolicy(const RunOptions& options, const std::string& name) {
  if (const auto builtin = scheduling::FindBuiltinPolicy(name)) return *builtin;
  const auto beside = std::filesystem::path(options.job_file).parent_path() / name;
  const auto text = platform::ReadInputFile(beside);
  if (!text) {
    return InvalidInput(
        options.job_file +
        ": spec.weighting.policy: must be default, paper or a file beside the job, is \"" + name +
        "\"");
  }
  return model::ParsePolicy(*text, beside.string());
}

// A line for each thing there is to say, with the nodes it is true of.
void TellNotes(const std::vector<scheduling::NodeWeight>& weights, RunPlan& plan) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> nodes_by_note;
  for (const auto& weight : weights) {
    for (const auto& note : weight.notes) {
      auto known = std::find_if(nodes_by_note.begin(), nodes_by_note.end(),
                                [&note](const auto& entry) { return entry.first == note; });
      if (known == nodes_by_note.end()) known = nodes_by_note.insert(known, {note, {}});
      known->second.push_back(weight.name);
    }
  }
  for (const auto& [note, nodes] : nodes_by_note) {
    std::string names;
    for (std::size_t i = 0; i < std::min(nodes.size(), kNamed); ++i) {
      names += (i > 0 ? ", " : "") + nodes[i];
    }
    if (nodes.size() > kNamed) names += " and " + std::to_string(nodes.size() - kNamed) + " more";
    plan.notes.push_back(names + ": " + note);
  }
}

// The weight of each node by spec.weighting; ratios to the lightest.
Result<std::vector<double>> Weigh(const RunOptions& options, RunPlan& plan,
                                  const std::vector<model::NodeProfile>& nodes) {
  const model::WeightingSpec& weighting = plan.job().weighting;
  std::vector<double> ratios;
  if (weighting.mode == model::WeightingMode::kEqual) {
    ratios.assign(nodes.size(), 1.0);
  } else if (weighting.mode == model::WeightingMode::kExplicit) {
    for (const auto& node : nodes) {
      const auto weight = weighting.explicit_weights.find(node.name);
      if (weight == weighting.explicit_weights.end()) {
        return InvalidInput(options.job_file + ": spec.weighting.weights: node " + node.name +
                            " has no weight");
      }
      ratios.push_back(weight->second);
    }
  } else {
    if (weighting.mode == model::WeightingMode::kMeasured) {
      plan.notes.push_back(
          "spec.weighting.mode: Measured goes by the history that an operator keeps; here the "
          "weights are fuzzy, and corrected by what this run measures");
    }
    const auto policy = ReadPolicy(options, weighting.policy);
    if (!policy) return tl::unexpected<Error>(policy.error());
    const auto weights = scheduling::EstimateWeights(nodes, *policy);
    for (const auto& weight : weights) {
      ratios.push_back(scheduling::PartitionWeight(weight, policy->rounding));
    }
    TellNotes(weights, plan);
  }
  return ratios;
}

// Tasks that compute run on one thread of one core; those that sleep may be as quick as they like.
Result<void> CheckSpeeds(const RunOptions& options, RunPlan& plan) {
  constexpr double kLeastSleeping = 1e-6;
  const bool sleeps = plan.workload().Sleeps();
  const double least = sleeps ? kLeastSleeping : coordinator::GroupLimits::kLeastShare;
  for (LocalNode& node : plan.nodes) {
    const double speed = node.emulated_speed.value_or(1.0);
    char text[64];
    if (speed < least) {
      std::snprintf(text, sizeof text, "must be at least %g, is %g", least, speed);
      return InvalidInput(options.nodes_file + ": node " + node.name +
                          ": metadata.annotations.evenkeel.dev/emulated-speed: " + text +
                          (sleeps ? "" : " (tasks of " + plan.job().workload + " compute)"));
    }
    if (sleeps || speed <= 1.0) continue;
    std::snprintf(text, sizeof text, ": speed %g is more than one core; it runs at 1", speed);
    plan.notes.push_back(node.name + text);
    node.emulated_speed = 1.0;
  }
  return {};
}

void WarnOfTooMuchSpeed(RunPlan& plan) {
  if (plan.workload().Sleeps()) return;
  double wanted = 0;
  for (const auto& node : plan.nodes) wanted += node.emulated_speed.value_or(1.0);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  if (wanted <= cores) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "the nodes' speeds add up to %.2f cores, this machine has %u: they will be slower "
                "than declared",
                wanted, cores);
  plan.notes.emplace_back(text);
}

/// A second run needs a second node.
Result<void> CheckVerification(const RunOptions& options, const RunPlan& plan) {
  if (plan.job().task_policy.verified_share == 0 || plan.nodes.size() >= 2) return {};
  return InvalidInput(options.job_file +
                      ": spec.taskPolicy.verify: needs at least 2 nodes that run tasks (--nodes), "
                      "there is 1");
}

/// Memory of the worker itself, which its tasks are not charged for.
constexpr std::int64_t kWorkerBytes = std::int64_t{64} << 20;

std::string ShownRoom(const model::TaskRoom& room) {
  char cores[32];
  std::snprintf(cores, sizeof cores, "%g", static_cast<double>(room.cpu_millicores) / 1000);
  return std::string(cores) + " cores and " + std::to_string(room.memory_bytes >> 20) + " MiB";
}

/// The needs of a task as far as they are known here: of CPU and memory.
model::TaskResources LocalNeeds(RunPlan& plan) {
  model::TaskResources need = plan.job().task_resources;
  if (need.extended.empty()) return need;
  plan.notes.push_back("spec.worker.taskResources: " + need.extended.begin()->first +
                       " and other extended resources are not counted here");
  need.extended.clear();
  return need;
}

/// Gives this machine, the one node, as many threads as tasks fit into it.
Result<void> FitTasksToMachine(const RunOptions& options, RunPlan& plan) {
  LocalNode& node = plan.nodes.front();
  const model::TaskResources need = LocalNeeds(plan);
  if (!need.Any()) return {};
  const model::TaskRoom room{std::int64_t{node.threads} * 1000, worker::MemoryLimit(), {}};
  const std::int64_t slots = model::CountSlots(need, room);
  if (slots == 0) {
    return InvalidInput(options.job_file +
                        ": spec.worker.taskResources: this machine has too little for one task: " +
                        ShownRoom(room));
  }
  node.threads = static_cast<std::uint32_t>(slots);
  node.slot_limit = model::SlotLimit(need, room);
  if (need.memory_bytes) node.memory_limit_bytes = slots * *need.memory_bytes + kWorkerBytes;
  return {};
}

/// Leaves out nodes that have too little for one task. The others, which run one task at a time,
/// are slower and lighter by the part of their cores for which there is no task.
Result<void> FitTasksToNodes(const RunOptions& options, RunPlan& plan,
                             const std::vector<model::NodeProfile>& profiles) {
  const model::TaskResources need = LocalNeeds(plan);
  if (!need.Any()) return {};
  std::vector<LocalNode> fit;
  std::string last_left_out;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const model::TaskRoom room{profiles[i].cpu_millicores.value_or(1000),
                               profiles[i].memory_bytes.value_or(INT64_MAX),
                               {}};
    const std::int64_t slots = model::CountSlots(need, room);
    LocalNode node = std::move(plan.nodes[i]);
    if (slots == 0) {
      last_left_out = node.name + " has too little for one task of spec.worker.taskResources: " +
                      ShownRoom(room);
      plan.notes.push_back("left out: " + last_left_out);
      continue;
    }
    const double fraction = model::FractionOfNode(need, slots, room.cpu_millicores);
    node.ratio *= fraction;
    if (fraction < 1) node.emulated_speed = node.emulated_speed.value_or(1.0) * fraction;
    // As much as the tasks of such a board have together.
    if (need.memory_bytes) node.memory_limit_bytes = slots * *need.memory_bytes + kWorkerBytes;
    fit.push_back(std::move(node));
  }
  plan.nodes = std::move(fit);
  if (!plan.nodes.empty()) return {};
  return InvalidInput(options.nodes_file + ": no node can run a task: " + last_left_out);
}

Result<void> PlanNodes(const RunOptions& options, RunPlan& plan) {
  if (options.nodes_file.empty()) {
    // No weights are needed, but errors in the job are reported here already.
    const auto policy = ReadPolicy(options, plan.job().weighting.policy);
    if (!policy) return tl::unexpected<Error>(policy.error());
    if (plan.job().balancing.objective == model::Objective::kEnergy) {
      plan.notes.emplace_back(
          "spec.balancing.objective: this machine is the one node, there is nothing to choose");
    }
    plan.nodes.push_back({"local", 1.0, std::max(1U, std::thread::hardware_concurrency()), {}});
    return FitTasksToMachine(options, plan).and_then([&] {
      return CheckVerification(options, plan);
    });
  }
  const auto nodes = ReadNodes(options, plan);
  if (!nodes) return tl::unexpected<Error>(nodes.error());
  const auto ratios = Weigh(options, plan, *nodes);
  if (!ratios) return tl::unexpected<Error>(ratios.error());
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    plan.nodes.push_back({(*nodes)[i].name, (*ratios)[i], 1, (*nodes)[i].emulated_speed,
                          scheduling::CollectPower((*nodes)[i]).power});
  }
  const auto checked = FitTasksToNodes(options, plan, *nodes)
                           .and_then([&] { return CheckSpeeds(options, plan); })
                           .and_then([&] { return LeaveOutForEnergy(options, plan); })
                           .and_then([&] { return CheckVerification(options, plan); });
  if (checked) WarnOfTooMuchSpeed(plan);
  return checked;
}

constexpr const char* kOptionsFile = "run.json";
constexpr std::size_t kMaxOptionsBytes = 64 << 10;

Result<void> PlanRerun(const RunOptions& options, RunPlan& plan) {
  if (options.rerun.empty()) return {};
  plan.rerun.emplace();
  if (!options.rerun_indexes.empty()) {
    auto indexes = model::ParseIndexList(options.rerun_indexes);
    if (!indexes) return InvalidInput("--indexes: " + indexes.error().message);
    plan.rerun->indexes = std::move(*indexes);
  }
  const auto checked = model::CheckRerun(*plan.rerun, plan.job().task_policy,
                                         plan.version->TaskCount(), "--indexes");
  if (!checked) return InvalidInput(options.job_file + ": " + checked.error().message);
  return {};
}

}  // namespace

Result<RunOptions> CompleteOptions(RunOptions options) {
  if (options.rerun.empty()) return options;
  options.output = options.rerun;
  const std::filesystem::path file = std::filesystem::path(options.rerun) / kOptionsFile;
  const auto text = platform::ReadRegularFile(file, kMaxOptionsBytes);
  const auto kept =
      nlohmann::json::parse(text ? *text : std::string("{}"), nullptr, /*allow_exceptions=*/false);
  if (!kept.is_object()) return InvalidInput(file.string() + ": must be a JSON object");
  const auto take = [&kept](const char* name, std::string& option) {
    const auto value = kept.find(name);
    if (option.empty() && value != kept.end() && value->is_string()) option = *value;
  };
  take("job", options.job_file);
  take("nodes", options.nodes_file);
  take("strategy", options.strategy);
  const auto seed = kept.find("seed");
  if (!options.seed && seed != kept.end() && seed->is_number_integer()) options.seed = *seed;
  if (!options.job_file.empty()) return options;
  return InvalidInput(file.string() +
                      ": does not name the manifest; name it before the other arguments: evenkeel "
                      "run JOB.yaml ...");
}

Result<void> KeepOptions(const RunOptions& options, const std::filesystem::path& folder) {
  nlohmann::ordered_json kept = nlohmann::ordered_json::object();
  const auto keep_file = [&kept](const char* name, const std::string& file) {
    std::error_code error;
    // A pipe cannot be read again.
    if (!std::filesystem::is_regular_file(file, error)) return;
    kept[name] = std::filesystem::absolute(file, error).string();
  };
  keep_file("job", options.job_file);
  keep_file("nodes", options.nodes_file);
  if (!options.strategy.empty()) kept["strategy"] = options.strategy;
  if (options.seed) kept["seed"] = *options.seed;
  constexpr int kIndent = 2;
  return platform::WriteFileAtomically(
      folder / kOptionsFile,
      kept.dump(kIndent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

Result<coordinator::SharedJobVersion> ReadJobVersion(const RunOptions& options,
                                                     const workloads::Registry& registry) {
  auto job = ReadJob(options);
  if (!job) return tl::unexpected<Error>(job.error());
  workloads::WorkloadContext context;
  context.folder = FolderOf(options.job_file);
  context.learned_costs = LearnedCostsOf(*job);
  context.workers_are_local = true;
  const auto workload = registry.Make(job->workload, job->workload_parameters, context);
  if (!workload) {
    return Fail(workload.error().code, options.job_file + ": " + workload.error().message);
  }
  if (const auto checked = coordinator::CheckJob(*job, **workload); !checked) {
    return Fail(checked.error().code, options.job_file + ": " + checked.error().message);
  }
  return std::make_shared<const coordinator::JobVersion>(std::move(*job), *workload);
}

Result<RunPlan> PlanRun(const RunOptions& options, const workloads::Registry& registry) {
  auto read = ReadJobVersion(options, registry);
  if (!read) return tl::unexpected<Error>(read.error());
  RunPlan plan;
  plan.version = std::move(*read);
  auto environment = ExpandEnvironment(plan.job().environment);
  if (!environment) return InvalidInput(options.job_file + ": " + environment.error().message);
  plan.environment = std::move(*environment);
  for (const model::EnvironmentVariable& variable : model::ThreadVariables(plan.job())) {
    plan.environment.push_back(variable.name + "=" + variable.value);
  }
  if (!plan.job().after.empty()) {
    plan.notes.emplace_back("spec.after: is ignored; only jobs of a cluster wait for each other");
  }
  const auto planned = PlanRerun(options, plan).and_then([&] { return PlanNodes(options, plan); });
  if (!planned) return tl::unexpected<Error>(planned.error());
  plan.folder = options.output.empty() ? "evenkeel-" + plan.job().name : options.output;
  if (!plan.workload().HasFiles()) return plan;
  auto files = workloads::FindLocalFiles(plan.workload(), FolderOf(options.job_file), plan.folder);
  if (!files) return InvalidInput(options.job_file + ": " + files.error().message);
  plan.files = std::move(*files);
  return plan;
}

}  // namespace evenkeel::cli
