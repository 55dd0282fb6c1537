#include <gtest/gtest.h>

#include <string_view>

#include "core/protocol/translation.h"

/// The messages of version 0.1.0, as it encodes them: a coordinator or a worker of this version
/// must understand its peer when the two are of different versions. Fields that were added since
/// then keep their default values.
namespace evenkeel::protocol {
namespace {

using std::chrono::nanoseconds;

std::string FromHex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t n = 0; n + 1 < hex.size(); n += 2) {
    bytes += static_cast<char>(digit(hex[n]) * 16 + digit(hex[n + 1]));
  }
  return bytes;
}

void ExpectWorkerMessage(std::string_view hex, const engine::ToCoordinator& expected) {
  v1::WorkerMessage wire;
  ASSERT_TRUE(wire.ParseFromString(FromHex(hex)));
  const auto read = FromProto(std::move(wire));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, std::vector<engine::ToCoordinator>{expected});
}

void ExpectCoordinatorMessage(std::string_view hex, const engine::ToWorker& expected) {
  v1::CoordinatorMessage wire;
  ASSERT_TRUE(wire.ParseFromString(FromHex(hex)));
  const auto read = FromProto(std::move(wire));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, std::vector<engine::ToWorker>{expected});
}

TEST(PreviousVersion, HelloIsUnderstood) {
  engine::Hello hello;
  hello.protocol_version = 1;
  hello.node = "pi-1";
  hello.incarnation = "i1";
  hello.threads = 4;
  hello.workload = "primes";
  hello.workload_version = 1;
  hello.epoch = 3;
  hello.token = "t";
  // The message has attempt 1, which only grants from the coordinator need.
  hello.held.push_back({engine::GrantId{5}, {6, 13}, true});
  hello.ratio = 2.5;
  ExpectWorkerMessage(
      "0a340a320801120470692d311a02693120042a067072696d6573300138034201744a0a0805100618072001"
      "2801510000000000000440",
      hello);
  EXPECT_EQ(hello.protocol_version, engine::kProtocolVersion) << "the coordinator would refuse it";
}

TEST(PreviousVersion, ReportIsUnderstood) {
  engine::Report report;
  engine::CompletedRange completed;
  completed.range = {1, 3};
  completed.started_ago = nanoseconds(9);
  completed.ended_ago = nanoseconds(4);
  completed.busy = nanoseconds(3);
  completed.waited = nanoseconds(2);
  completed.results = model::PackedResults::OfEqualSize(2, 1, "xy");
  report.completed.push_back(completed);
  engine::FailedTask failed;
  failed.index = 8;
  failed.reason = "no";
  failed.busy = nanoseconds(7);
  failed.grant = engine::GrantId{300};
  failed.exit_code = 3;
  failed.record = "r";
  report.failed.push_back(failed);
  ExpectWorkerMessage(
      "0a2a12280a14080110021809200428033a0608011a02787940021210080812026e6f180720ac022806320172",
      report);
  ExpectWorkerMessage("0a021200", engine::Report{});
}

TEST(PreviousVersion, GiveBackAndGoodbyeAreUnderstood) {
  ExpectWorkerMessage("0a0c1a0a08041206080510081802",
                      engine::GiveBack{engine::RecallId{4}, {{engine::GrantId{5}, {8, 10}}}});
  ExpectWorkerMessage("0a022200", engine::Goodbye{});
}

TEST(PreviousVersion, WelcomeIsUnderstood) {
  engine::Welcome welcome;
  welcome.epoch = 3;
  welcome.workload_parameters = "{}";
  welcome.report_interval = nanoseconds(1000);
  welcome.lease = nanoseconds(5000);
  welcome.idempotent = true;
  welcome.task_timeout = nanoseconds(9);
  welcome.job = "j";
  ExpectCoordinatorMessage("0a150a13080312027b7d18e807208827280130093a016a", welcome);
}

TEST(PreviousVersion, AssignIsUnderstood) {
  engine::Assign assign;
  assign.grants.push_back({engine::GrantId{1}, {0, 300}, false, 2});
  assign.grants.push_back({engine::GrantId{2},
                           {300, 302},
                           false,
                           0,
                           model::TaskInputs(300, model::PackedResults::OfEqualSize(2, 1, "ab"))});
  ExpectCoordinatorMessage("0a1c1a1a0a07080118ac0228020a0f080210ac021802320608011a026162", assign);
}

TEST(PreviousVersion, OtherMessagesOfTheCoordinatorAreUnderstood) {
  ExpectCoordinatorMessage("0a082206080410061801", engine::Recall{engine::RecallId{4}, 6, true});
  ExpectCoordinatorMessage("0a0a2a080a04080210031009", engine::Acknowledge{{{2, 5}}, 9});
  ExpectCoordinatorMessage("0a0832060a0408071001", engine::Cancel{{{7, 8}}, {}});
  ExpectCoordinatorMessage("0a0612040a026e6f", engine::Refusal{"no"});
  ExpectCoordinatorMessage("0a083a060a04646f6e65", engine::Finish{"done"});
}

}  // namespace
}  // namespace evenkeel::protocol
