// The API server fills in the defaults of the CRDs, `evenkeel run` those of the parsers: a manifest
// means the same on both ways.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/model/job_parsing.h"
#include "core/model/policy_parsing.h"
#include "tests/unit/manifests/source_files.h"
#include "workloads/command/command_spec.h"
#include "workloads/matmul/matmul_spec.h"
#include "workloads/parameter_estimation/parameter_estimation.h"
#include "workloads/primes/primes.h"
#include "workloads/switch_simulation/switch_simulation.h"
#include "workloads/synthetic/synthetic.h"

namespace evenkeel {
namespace {

using nlohmann::json;

json SchemaOf(const std::string& plural) {
  const json crd = tests::DocumentOf("crds/batch.evenkeel.dev_" + plural + ".yaml");
  return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
}

/// As the API server does it: a field that is not there gets its default, whose own fields get
/// theirs.
void FillIn(json& value, const json& schema) {
  if (value.is_array()) {
    for (json& item : value) FillIn(item, schema["items"]);
  }
  if (!value.is_object() || !schema.contains("properties")) return;
  for (const auto& [name, field] : schema["properties"].items()) {
    if (!value.contains(name) && field.contains("default")) value[name] = field["default"];
    if (value.contains(name)) FillIn(value[name], field);
  }
}

json Manifest(const std::string& kind, json spec) {
  return {{"apiVersion", "batch.evenkeel.dev/v1alpha1"},
          {"kind", kind},
          {"metadata", {{"name", "least"}}},
          {"spec", std::move(spec)}};
}

model::JobSpec Job(const json& manifest) {
  const auto job = model::ParseJob(manifest.dump(), "job.json");
  EXPECT_TRUE(job.has_value()) << job.error().message;
  return job.value_or(model::JobSpec{});
}

/// A job with this workload as written, and as the API server hands it out.
std::pair<model::JobSpec, model::JobSpec> BothWays(const json& workload) {
  const json written = Manifest("WeightedJob", {{"workload", workload}});
  json stored = written;
  FillIn(stored, SchemaOf("weightedjobs"));
  EXPECT_GT(stored.dump().size(), written.dump().size() + 200);
  return {Job(written), Job(stored)};
}

model::FieldReader ParametersOf(const model::JobSpec& job, json& parameters) {
  parameters = json::parse(job.workload_parameters);
  return {parameters, "spec.workload." + job.workload};
}

TEST(CrdDefaults, OfEverySectionAreThoseOfTheParser) {
  const auto [written, stored] = BothWays({{"primes", {{"end", 100}}}});
  EXPECT_EQ(written.profile, stored.profile);
  EXPECT_EQ(written.weighting.policy, stored.weighting.policy);
  EXPECT_EQ(written.weighting.mode, stored.weighting.mode);
  EXPECT_EQ(written.weighting.explicit_weights, stored.weighting.explicit_weights);
  EXPECT_EQ(written.balancing.strategy, stored.balancing.strategy);
  EXPECT_EQ(written.balancing.lease, stored.balancing.lease);
  EXPECT_EQ(written.task_policy.backoff_limit_per_task, stored.task_policy.backoff_limit_per_task);
  EXPECT_EQ(written.task_policy.max_failed_tasks, stored.task_policy.max_failed_tasks);
  EXPECT_EQ(written.task_policy.timeout, stored.task_policy.timeout);
  EXPECT_EQ(written.task_policy.idempotent, stored.task_policy.idempotent);
  EXPECT_EQ(written.node_selector, stored.node_selector);
  EXPECT_EQ(written.max_workers, stored.max_workers);
  EXPECT_EQ(written.active_deadline, stored.active_deadline);
  EXPECT_EQ(written.suspend, stored.suspend);
}

TEST(CrdDefaults, OfPrimesAreThoseOfTheWorkload) {
  const auto jobs = BothWays({{"primes", {{"end", 100}}}});
  json a, b;
  const auto written = workloads::primes::ReadPrimesSpec(ParametersOf(jobs.first, a));
  const auto stored = workloads::primes::ReadPrimesSpec(ParametersOf(jobs.second, b));
  ASSERT_TRUE(written.has_value() && stored.has_value());
  EXPECT_NE(a, b);
  EXPECT_EQ(written->method, stored->method);
  EXPECT_EQ(written->list, stored->list);
  EXPECT_EQ(written->candidates_per_task, stored->candidates_per_task);
}

TEST(CrdDefaults, OfMatmulAreThoseOfTheWorkload) {
  const json a{{"random", {{"rows", 3}, {"columns", 4}}}};
  const json b{{"random", {{"rows", 4}, {"columns", 5}}}};
  const auto jobs = BothWays({{"matmul", {{"a", a}, {"b", b}}}});
  json c, d;
  using workloads::matmul::ReadMatmulSpec;
  const auto written = ReadMatmulSpec(ParametersOf(jobs.first, c), {});
  const auto stored = ReadMatmulSpec(ParametersOf(jobs.second, d), {});
  ASSERT_TRUE(written.has_value() && stored.has_value());
  EXPECT_NE(c, d);
  EXPECT_EQ(WorkerParametersOf(*written), WorkerParametersOf(*stored));
  EXPECT_EQ(written->verify, stored->verify);
}

TEST(CrdDefaults, OfSwitchSimulationAreThoseOfTheWorkload) {
  const auto jobs = BothWays({{"switchSimulation", {{"loads", {0.5}}, {"bufferSizes", {4}}}}});
  json a, b;
  using workloads::switch_simulation::ReadSwitchSpec;
  const auto written = ReadSwitchSpec(ParametersOf(jobs.first, a));
  const auto stored = ReadSwitchSpec(ParametersOf(jobs.second, b));
  ASSERT_TRUE(written.has_value() && stored.has_value());
  EXPECT_NE(a, b);
  EXPECT_EQ(written->ports, stored->ports);
  EXPECT_EQ(written->slots, stored->slots);
  EXPECT_EQ(written->algorithms, stored->algorithms);
  EXPECT_EQ(written->seeds, stored->seeds);
}

TEST(CrdDefaults, OfParameterEstimationAreThoseOfTheWorkload) {
  const json unit{
      {"name", "alu"}, {"kinds", {"add", "subtract", "compare", "multiply"}}, {"max", 2}};
  const auto jobs =
      BothWays({{"parameterEstimation", {{"graph", "Diffeq"}, {"units", json::array({unit})}}}});
  json a, b;
  using workloads::parameter_estimation::ReadEstimationSpec;
  const auto written = ReadEstimationSpec(ParametersOf(jobs.first, a));
  const auto stored = ReadEstimationSpec(ParametersOf(jobs.second, b));
  ASSERT_TRUE(written.has_value() && stored.has_value());
  EXPECT_NE(a, b);
  EXPECT_EQ(written->clock_megahertz, stored->clock_megahertz);
  EXPECT_EQ(written->method, stored->method);
  EXPECT_EQ(written->search_limit, stored->search_limit);
  const auto& unset = written->units.at(0);
  const auto& filled_in = stored->units.at(0);
  EXPECT_EQ(unset.min, filled_in.min);
  EXPECT_EQ(unset.cycles, filled_in.cycles);
  EXPECT_EQ(unset.pipelined, filled_in.pipelined);
  EXPECT_EQ(unset.area, filled_in.area);
  EXPECT_EQ(unset.energy_picojoules, filled_in.energy_picojoules);
  EXPECT_EQ(unset.idle_microwatts, filled_in.idle_microwatts);
}

TEST(CrdDefaults, OfSyntheticAreThoseOfTheWorkload) {
  const auto jobs = BothWays({{"synthetic", {{"tasks", 3}, {"cost", {{"constant", 1}}}}}});
  json a, b;
  const auto written = workloads::synthetic::ReadSyntheticSpec(ParametersOf(jobs.first, a));
  const auto stored = workloads::synthetic::ReadSyntheticSpec(ParametersOf(jobs.second, b));
  ASSERT_TRUE(written.has_value() && stored.has_value());
  EXPECT_NE(a, b);
  EXPECT_EQ(written->mode, stored->mode);
  EXPECT_EQ(written->seed, stored->seed);
  EXPECT_EQ(written->costs_known, stored->costs_known);
}

TEST(CrdDefaults, OfCommandAreThoseOfTheWorkload) {
  const auto jobs = BothWays({{"command", {{"image", "x"}, {"command", {"y"}}, {"tasks", 2}}}});
  json a, b;
  using workloads::command::ReadCommandSpec;
  const auto written = ReadCommandSpec(ParametersOf(jobs.first, a), {});
  const auto stored = ReadCommandSpec(ParametersOf(jobs.second, b), {});
  ASSERT_TRUE(written.has_value() && stored.has_value());
  EXPECT_NE(a, b);
  EXPECT_EQ(written->output_limit, stored->output_limit);
  EXPECT_EQ(written->folder, stored->folder);
}

TEST(CrdDefaults, OfAPolicyAreThoseOfTheParser) {
  const json criterion{{"name", "a"}, {"labels", {"x"}}, {"kind", "Numeric"}, {"exponent", 1}};
  const json written = Manifest("WeightingPolicy", {{"criteria", json::array({criterion})}});
  json stored = written;
  FillIn(stored, SchemaOf("weightingpolicies"));
  EXPECT_NE(written, stored);
  const auto a = model::ParsePolicy(written.dump(), "written");
  const auto b = model::ParsePolicy(stored.dump(), "stored");
  ASSERT_TRUE(a.has_value() && b.has_value());
  EXPECT_EQ(a->rounding, b->rounding);
  EXPECT_EQ(a->criteria.at(0).better, b->criteria.at(0).better);
}

}  // namespace
}  // namespace evenkeel
