#include "simulator/scenario_parsing.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "workloads/built_in.h"

namespace evenkeel::simulator {
namespace {

Result<Scenario> Parse(const std::string& text) {
  static const auto registry = workloads::BuiltInWorkloads();
  return ParseScenario(text, "s.yaml", ".", registry);
}

std::string ErrorOf(const std::string& text) {
  const auto read = Parse(text);
  return read ? "no error" : read.error().message;
}

const std::string kTasks = "name: a\ntasks: {count: 10, seconds: 1}\n";
const std::string kNodes = "nodes: [{name: n, speed: 1}]\n";

TEST(ScenarioParsing, OmittedFieldsHaveDefaults) {
  const auto read = Parse(kTasks + kNodes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->name, "a");
  EXPECT_EQ(read->nodes.at(0).cores, 1u);
  EXPECT_FALSE(read->tasks.costs_declared);
  EXPECT_EQ(read->repetitions, 1);
  ASSERT_EQ(read->variants.size(), 1u);
  EXPECT_EQ(read->variants[0].name, "TailStealing");
  EXPECT_EQ(read->network.latency, Duration(std::chrono::microseconds(300)));
}

TEST(ScenarioParsing, TheCoordinatorsMachineBlocksAndNumbersOfNodesAreRead) {
  const auto read = Parse(R"(
name: central
tasks: {count: 12, seconds: 1, blocks: {columns: 4, rowBytes: 10, columnBytes: 20}}
nodes: [{name: n, count: 5, speed: 1}]
coordinator:
  cpu: {secondsPerMessage: 0.5, secondsPerTask: 0.25, secondsPerMegabyteSent: 2,
        secondsPerMegabyteReceived: 4, times: Exponential}
  link: {megabitsPerSecond: 8}
variants: [{name: two, nodes: 2}]
)");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->tasks.blocks);
  EXPECT_EQ(read->tasks.blocks->columns, 4);
  EXPECT_EQ(read->tasks.blocks->row_bytes, 10);
  EXPECT_EQ(read->tasks.blocks->column_bytes, 20);
  EXPECT_TRUE(read->tasks.blocks->between_workers);
  const CoordinatorModel& machine = read->coordinator;
  EXPECT_EQ(machine.seconds_a_message, 0.5);
  EXPECT_EQ(machine.seconds_a_task, 0.25);
  EXPECT_EQ(machine.seconds_a_byte_sent, 2e-6);
  EXPECT_EQ(machine.seconds_a_byte_received, 4e-6);
  EXPECT_TRUE(machine.exponential);
  EXPECT_EQ(machine.link_bytes_per_second, 1e6);
  EXPECT_EQ(read->variants.at(0).nodes, 2);
  EXPECT_EQ(ErrorOf(kTasks + kNodes + "variants: [{name: none, nodes: 0}]\n"),
            "s.yaml: variants[0].nodes: must be a whole number from 1 to 20000, is 0");
  EXPECT_EQ(ErrorOf(kTasks + "nodes: [{name: late, count: 2, speed: 1, expected: false, joins: 1}, "
                             "{name: n, speed: 1}]\nvariants: [{name: few, nodes: 2}]\n"),
            "s.yaml: variants: few must have more than 2 nodes: the first 2 are not expected");
}

TEST(ScenarioParsing, EveryFieldIsRead) {
  const auto read = Parse(R"(
name: full
description: all of it
tasks:
  count: 100
  seconds: {logNormal: {mean: 2, sigma: 1.5}}
  costsTold: true
  costsShuffled: true
  inputBytes: 10
  resultBytes: 20
  arrivals: [{at: 5, tasks: 30}]
nodes:
- name: one
  count: 3
  speed: {uniform: [1, 5]}
  cores: 4
  weight: 2.5
  link: {megabitsPerSecond: 100, latencySeconds: 0.001}
  joins: {ofBound: 0.1, seconds: 1}
  changes: [{at: 10, speedFactor: 0.5}, {at: 20, speedFactor: 1}]
  changesRepeatSeconds: 30
  faults: [{kind: StandsStill, at: 3, for: 4}, {kind: Dies, at: {ofBound: 0.5}}]
- {name: two, speed: 1, joins: 3, expected: false,
   otherLoad: {everySeconds: 60, lastsSeconds: 5, speedFactor: 0.3}}
weights: Inverse
weightError: 0.25
network: {latencySeconds: 0.01, delay: Exponential, lossRatio: 0.1, retransmitSeconds: 0.3,
          sharedMedium: true, ordered: false}
coordinator: {journalSeconds: 0.005, reportIntervalSeconds: 0.5, faults: [{at: 1, for: 2}]}
balancing: {masterSlave: {chunkTasks: 7}, tailStealing: {credit: Disabled}, leastChunkTasks: 3}
strategies: [TailStealing, MasterSlave]
variants:
- {name: no stealing, strategy: TailStealing, tailStealing: {stealing: Disabled}}
- {name: rDLB, strategy: FAC2, reissue: Enabled}
- {name: weights, strategy: AWF, weightUpdates: 4}
seed: 9
repetitions: 20
)");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::get<LogNormal>(std::get<DrawnCosts>(read->tasks.costs).seconds).sigma, 1.5);
  EXPECT_EQ(read->tasks.arrivals.at(0).tasks, 30);
  const NodeGroup& one = read->nodes.at(0);
  EXPECT_EQ(std::get<Uniform>(one.speed).high, 5);
  EXPECT_EQ(one.joins->of_bound, 0.1);
  EXPECT_EQ(one.changes.at(1).at.seconds, 20);
  EXPECT_EQ(one.faults.at(0).kind, Fault::Kind::kStallWorker);
  EXPECT_EQ(one.faults.at(0).lasts->seconds, 4);
  EXPECT_FALSE(one.faults.at(1).lasts);
  EXPECT_FALSE(read->nodes.at(1).expected);
  EXPECT_EQ(read->nodes.at(1).other_load->lasts_seconds, 5);
  EXPECT_EQ(read->weights, DeclaredWeights::kInverse);
  EXPECT_EQ(read->network.latency, Duration::zero()) << "an exponential delay is all by chance";
  EXPECT_EQ(read->network.jitter, Duration(std::chrono::milliseconds(10)));
  EXPECT_TRUE(read->network.shared_medium);
  EXPECT_EQ(read->coordinator_faults.size(), 1u);
  ASSERT_EQ(read->variants.size(), 5u);
  EXPECT_EQ(read->variants[1].balancing.master_slave.chunk_tasks, 7);
  EXPECT_EQ(read->variants[2].name, "no stealing");
  EXPECT_FALSE(read->variants[2].balancing.tail_stealing.stealing);
  EXPECT_FALSE(read->variants[2].balancing.tail_stealing.credit) << "from balancing";
  EXPECT_FALSE(read->variants[2].technique);
  EXPECT_EQ(read->variants[3].technique, scheduling::TechniqueName::kPracticalFactoring);
  EXPECT_TRUE(read->variants[3].technique_options.reissue);
  EXPECT_EQ(read->variants[3].technique_options.least_chunk_tasks, 3);
  EXPECT_EQ(read->variants[4].technique_options.weight_updates, 4);
  EXPECT_EQ(read->seed, 9u);
}

TEST(ScenarioParsing, CostsMayBeThoseOfAWorkload) {
  const auto read =
      Parse("name: a\ntasks: {workload: {primes: {end: 1000}}, unitsPerSecond: 1e6}\n" + kNodes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::get<WorkloadCosts>(read->tasks.costs).costs->TaskCount(), 500);
}

TEST(ScenarioParsing, ErrorsAreOneLineWithThePlaceAndTheAllowedValues) {
  struct Case {
    std::string text;
    std::string message;
  };
  const Case cases[] = {
      {kNodes, "s.yaml: name: is missing, must be text of 1 to 100 bytes"},
      {kTasks, "s.yaml: nodes: must be a list of 1 to 20000 nodes, has 0"},
      {kTasks + kNodes + "color: red\n", "s.yaml: color: unknown field, known are "},
      {"name: a\ntasks: {count: 0, seconds: 1}\n" + kNodes,
       "s.yaml: tasks.count: must be a whole number from 1 to 50000000, is 0"},
      {"name: a\ntasks: {count: 5, seconds: {gamma: 1}}\n" + kNodes,
       "s.yaml: tasks.seconds: must be a number or an object with one of constant, uniform, "
       "exponential, logNormal"},
      {"name: a\ntasks: {count: 5, seconds: {uniform: [3, 1]}}\n" + kNodes,
       "s.yaml: tasks.seconds.uniform: must be two numbers [low, high], the lower one first"},
      {"name: a\ntasks: {count: 5, seconds: {file: none.txt}}\n" + kNodes,
       "s.yaml: tasks.seconds.file: none.txt "},
      {"name: a\ntasks: {workload: {primes: {end: 0}}}\n" + kNodes,
       "s.yaml: tasks.workload: spec.workload.primes.end: must be "},
      {"name: a\ntasks: {count: 5, seconds: 1, arrivals: [{at: 1, tasks: 6}]}\n" + kNodes,
       "s.yaml: tasks.arrivals: must not be more tasks than there are in all"},
      {kTasks + "nodes: [{name: n, speed: 1, load: 1000}]\n",
       "s.yaml: nodes: must not have a load of more tasks than there are at first, "},
      {"name: a\ntasks: {count: 5, seconds: 1, arrivals: [{at: 1, tasks: 2, node: m}]}\n" + kNodes,
       "s.yaml: tasks.arrivals: node must be Random or one of the nodes, is m"},
      {"name: a\ntasks: {count: 5, seconds: 1, arrivals: [{at: {gamma: 1}, tasks: 2}]}\n" + kNodes,
       "s.yaml: tasks.arrivals[0].at: must be a number or an object with one of constant, "},
      {kTasks + kNodes + "transfers: {meanLinks: 2}\n",
       "s.yaml: transfers.tasksPerSecond: must be above 0 where there are links"},
      {kTasks + kNodes + "transfers: {tasksPerSecond: 1, links: [{node: n, neighbours: [m]}]}\n",
       "s.yaml: transfers.links: must be between two of the nodes, is n to m"},
      {kTasks + "nodes: [{name: n, count: 3, speed: 1}]\n" +
           "transfers: {tasksPerSecond: 1, links: [{node: n-1, neighbours: [n-2]}]}\n",
       "s.yaml: transfers.links: must connect all nodes"},
      {kTasks +
           "nodes: [{name: n, count: 2, speed: 1, load: 1}]\nvariants: [{name: m, nodes: 1}]\n",
       "s.yaml: variants: must not have nodes where there are transfers, or tasks at nodes: all of "
       "these are needed"},
      {kTasks + "nodes: [{name: n, count: 2, speed: 1, watts: 5}]\ntransfers: {tasksPerSecond: 1}\n"
                "balancing: {objective: Energy}\n",
       "s.yaml: balancing.objective: must be Time where there are transfers, or tasks at nodes: "
       "all "
       "of these are needed"},
      {kTasks + "nodes: [{name: n, count: 501, speed: 1}]\ntransfers: {tasksPerSecond: 1}\n",
       "s.yaml: transfers: must have links or meanLinks with more than 500 nodes"},
      {kTasks + "nodes: [{name: n, speed: 0}]\n",
       "s.yaml: nodes[0].speed: must be a number above 0, at most 1000000, is 0"},
      {kTasks + "nodes: [{name: n, speed: 1}, {name: n, speed: 1}]\n",
       "s.yaml: nodes[1].name: n is there twice"},
      {kTasks + "nodes: [{name: n, speed: 1, expected: false}]\n",
       "s.yaml: nodes[0].expected: may be false only for nodes that join later, see joins"},
      {kTasks + "nodes: [{name: n, speed: 1, faults: [{kind: Burns, at: 1}]}]\n",
       "s.yaml: nodes[0].faults[0].kind: must be one of Dies, StandsStill, LosesLink, Drains, is "},
      {kTasks + kNodes + "strategies: [Lottery]\n", "s.yaml: strategies[0]: must be "},
      {kTasks + kNodes + "balancing: {masterSlave: {chunkTasks: 0}}\n",
       "s.yaml: balancing.masterSlave.chunkTasks: must be a whole number from 1 to "},
      {kTasks + kNodes + "balancing: {stealing: Disabled}\n",
       "s.yaml: balancing.stealing: is now tailStealing.stealing"},
      {kTasks + kNodes + "variants: [{name: a, strategy: AdaptiveIterative, rounds: 3}]\n",
       "s.yaml: variants[0].rounds: is now adaptiveIterative.rounds"},
      {kTasks + "nodes: [{name: n, speed: 1, watts: 5}]\n" +
           "variants: [{name: a, strategy: SS, objective: Energy}]\n",
       "s.yaml: variants[0].objective: Energy needs strategy TailStealing, is with SS"},
      {kTasks + kNodes + "strategies: [all, MasterSlave]\n",
       "s.yaml: variants: MasterSlave is there twice"},
      {"name: [\n", "s.yaml: line "},
  };
  for (const Case& each : cases) {
    const std::string message = ErrorOf(each.text);
    EXPECT_EQ(message.substr(0, each.message.size()), each.message) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(ScenarioParsing, TheShippedScenariosAreValid) {
  const auto registry = workloads::BuiltInWorkloads();
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(EVENKEEL_SCENARIOS)) {
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    const auto read =
        ParseScenario(text, entry.path().filename().string(), EVENKEEL_SCENARIOS, registry);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->name + ".yaml", entry.path().filename().string());
    ++count;
  }
  EXPECT_GE(count, 10);
}

}  // namespace
}  // namespace evenkeel::simulator
