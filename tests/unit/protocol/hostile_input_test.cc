#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "core/base/rng.h"
#include "core/protocol/limits.h"
#include "core/protocol/translation.h"

namespace evenkeel::protocol {
namespace {

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

/// A valid report of tasks 0..1 with results of one byte each.
v1::CompletedRange GoodRange() {
  v1::CompletedRange range;
  range.set_size(2);
  range.set_started_ago_ns(10);
  range.set_ended_ago_ns(5);
  range.mutable_results()->set_equal_size(1);
  range.mutable_results()->set_bytes("ab");
  return range;
}

struct HostileCase {
  std::string name;
  std::function<void(v1::WorkerItem&)> write;
  std::string want_problem;
};

HostileCase RangeCase(const char* name, std::function<void(v1::CompletedRange&)> spoil,
                      const char* want) {
  return {name,
          [spoil](v1::WorkerItem& item) {
            v1::CompletedRange range = GoodRange();
            spoil(range);
            *item.mutable_report()->add_completed() = range;
          },
          want};
}

HostileCase HelloCase(const char* name, std::function<void(v1::Hello&)> spoil, const char* want) {
  return {name,
          [spoil](v1::WorkerItem& item) {
            v1::Hello& hello = *item.mutable_hello();
            hello.set_node("a");
            hello.set_incarnation("a-1");
            hello.set_workload("primes");
            hello.set_threads(1);
            spoil(hello);
          },
          want};
}

HostileCase RatioCase(const char* name, double ratio) {
  return HelloCase(
      name, [ratio](auto& hello) { hello.set_ratio(ratio); }, "outside of 0 to 1000000");
}

std::vector<HostileCase> Cases() {
  return {
      {"unknown kind", [](v1::WorkerItem&) {}, "unknown kind"},
      HelloCase(
          "hello without node", [](auto& h) { h.clear_node(); }, "the node name in Hello"),
      HelloCase(
          "path as node", [](auto& h) { h.set_node("../etc"); }, "the node name in Hello"),
      HelloCase(
          "lines as node", [](auto& h) { h.set_node("a\nb"); }, "the node name in Hello"),
      HelloCase(
          "long node", [](auto& h) { h.set_node(std::string(254, 'n')); },
          "the node name in Hello"),
      HelloCase(
          "hello without incarnation", [](auto& h) { h.clear_incarnation(); },
          "the incarnation in Hello"),
      HelloCase(
          "long incarnation", [](auto& h) { h.set_incarnation(std::string(65, 'i')); },
          "the incarnation in Hello"),
      HelloCase(
          "zero byte in incarnation", [](auto& h) { h.set_incarnation(std::string("a\0", 2)); },
          "the incarnation in Hello"),
      HelloCase(
          "hello without workload", [](auto& h) { h.clear_workload(); }, "the workload in Hello"),
      HelloCase(
          "prefix as workload", [](auto& h) { h.set_workload("custom."); },
          "the workload in Hello"),
      HelloCase(
          "long workload", [](auto& h) { h.set_workload(std::string(57, 'w')); },
          "the workload in Hello"),
      HelloCase(
          "hello without threads", [](auto& h) { h.set_threads(0); }, "0 threads"),
      HelloCase(
          "long token", [](auto& h) { h.set_token(std::string(4097, 't')); }, "token of more"),
      HelloCase(
          "long epoch tag", [](auto& h) { h.set_epoch_tag(std::string(65, 't')); },
          "epoch tag of more than 64 bytes"),
      HelloCase(
          "too many held ranges",
          [](auto& h) {
            for (std::size_t n = 0; n <= engine::kMaxHeldGrants; ++n) h.add_held()->set_size(1);
          },
          "more than 100000 held ranges"),
      RatioCase("negative ratio", -1),
      RatioCase("huge ratio", 1.1e6),
      RatioCase("endless ratio", std::numeric_limits<double>::infinity()),
      RatioCase("no ratio", std::numeric_limits<double>::quiet_NaN()),
      HelloCase(
          "long boot id", [](auto& h) { h.set_boot_id(std::string(65, 'b')); },
          "the boot ID in Hello"),
      HelloCase(
          "spaces in boot id", [](auto& h) { h.set_boot_id("b b"); }, "the boot ID in Hello"),
      {"long reason",
       [](v1::WorkerItem& i) {
         i.mutable_report()->add_failed()->set_reason(std::string(kMaxTextBytes + 1, 'n'));
       },
       "more than 64 KiB"},
      {"negative index",
       [](v1::WorkerItem& i) { i.mutable_report()->add_failed()->set_index(kHuge); },
       "largest task index"},
      {"empty part", [](v1::WorkerItem& i) { i.mutable_give_back()->add_parts(); }, "empty range"},
      {"too many parts",
       [](v1::WorkerItem& i) {
         for (std::int64_t n = 0; n <= kMaxRanges; ++n) i.mutable_give_back()->add_parts();
       },
       "more than 1000000"},
      RangeCase(
          "no tasks", [](auto& r) { r.set_size(0); }, "empty range"),
      RangeCase(
          "begin beyond", [](auto& r) { r.set_begin(kHuge); }, "largest task index"),
      RangeCase(
          "end wraps", [](auto& r) { r.set_begin(kHuge / 2), r.set_size(kHuge / 2); },
          "largest task index"),
      RangeCase(
          "long ago", [](auto& r) { r.set_started_ago_ns(kHuge); }, "100 years"),
      RangeCase(
          "backwards", [](auto& r) { r.set_ended_ago_ns(11); }, "before they start"),
      RangeCase(
          "fetched for long", [](auto& r) { r.set_fetch_ns(kHuge); }, "100 years"),
      RangeCase(
          "fetched much", [](auto& r) { r.set_fetched_bytes(kHuge); }, "2^60 bytes"),
      RangeCase(
          "more tasks than bytes", [](auto& r) { r.set_size(3); }, "number of tasks"),
      RangeCase(
          "bytes of nothing", [](auto& r) { r.mutable_results()->set_equal_size(0); },
          "number of tasks"),
      RangeCase(
          "product wraps",
          [](auto& r) {
            r.set_size(std::uint64_t{1} << 62);
            r.mutable_results()->set_equal_size(4);
            r.mutable_results()->clear_bytes();
          },
          "number of tasks"),
      RangeCase(
          "too few sizes", [](auto& r) { r.mutable_results()->add_sizes(2); }, "number of results"),
      RangeCase(
          "sizes beyond bytes",
          [](auto& r) {
            r.mutable_results()->add_sizes(2);
            r.mutable_results()->add_sizes(1);
          },
          "match their sizes"),
      RangeCase(
          "sizes wrap in 32 bits",
          [](auto& r) {
            r.mutable_results()->add_sizes(0xffffffffU);
            r.mutable_results()->add_sizes(3);
          },
          "match their sizes"),
  };
}

TEST(HostileInput, IsRefusedWithTheRuleItBroke) {
  for (const HostileCase& hostile : Cases()) {
    v1::WorkerMessage batch;
    hostile.write(*batch.add_items());
    const auto read = FromProto(std::move(batch));
    ASSERT_FALSE(read) << hostile.name;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidInput) << hostile.name;
    EXPECT_NE(read.error().message.find(hostile.want_problem), std::string::npos)
        << hostile.name << ": " << read.error().message;
  }
}

TEST(HostileInput, AWorkerChecksItsCoordinatorToo) {
  v1::CoordinatorMessage recall;
  recall.add_items()->mutable_recall()->set_max_tasks(kHuge);
  EXPECT_FALSE(FromProto(recall));
  v1::CoordinatorMessage assign;
  assign.add_items()->mutable_assign()->add_grants();
  EXPECT_FALSE(FromProto(assign));
  v1::CoordinatorMessage unknown;
  unknown.add_items();
  EXPECT_FALSE(FromProto(unknown));
}

TEST(HostileInput, TooManyItemsAreRefusedBeforeAnyIsRead) {
  v1::WorkerMessage batch;
  for (int n = 0; n <= kMaxItems; ++n) batch.add_items()->mutable_goodbye();
  EXPECT_FALSE(FromProto(std::move(batch)));
}

TEST(HostileInput, FlippedBytesNeverDoMoreThanFail) {
  v1::WorkerMessage batch;
  batch.add_items()->mutable_hello()->set_node("pi-1");
  batch.mutable_items(0)->mutable_hello()->set_threads(2);
  *batch.add_items()->mutable_report()->add_completed() = GoodRange();
  const std::string good = batch.SerializeAsString();
  Rng rng(11);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good;
    for (std::uint64_t flips = 1 + rng.Below(4); flips > 0; --flips) {
      bytes[rng.Below(bytes.size())] = static_cast<char>(rng.Below(256));
    }
    v1::WorkerMessage received;
    if (!received.ParseFromString(bytes) || !FromProto(std::move(received))) ++refused;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace evenkeel::protocol
