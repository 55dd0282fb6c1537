#include <gtest/gtest.h>

#include "core/protocol/translation.h"

/// The bytes of version 1. Coordinators and workers of two releases meet while a job runs on, so a
/// change here is a change of protocol: add fields, never change or reuse one.
namespace evenkeel::protocol {
namespace {

using std::chrono::nanoseconds;

std::string Hex(const std::string& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

template <typename Batch, typename Message>
std::string WireHex(Message message) {
  Batch batch;
  for (auto& item : ToProto(std::move(message))) *batch.add_items() = std::move(item);
  return Hex(batch.SerializeAsString());
}

TEST(GoldenBytes, Hello) {
  const engine::Hello hello{1, "n", "i", 4, "w", 2, 3, "t", {{engine::GrantId{5}, {6, 13}, true}}};
  // Item 1 {hello 1 {1: 1, 2: "n", 3: "i", 4: 4, 5: "w", 6: 2, 7: 3, 8: "t", 9: grant}}
  EXPECT_EQ(WireHex<v1::WorkerMessage>(engine::ToCoordinator{hello}),
            "0a200a1e"
            "0801"
            "12016e"
            "1a0169"
            "2004"
            "2a0177"
            "3002"
            "3803"
            "420174"
            "4a08"
            "0805"
            "1006"
            "1807"
            "2001");
}

TEST(GoldenBytes, HelloWithARatio) {
  engine::Hello hello;
  hello.node = "n";
  hello.ratio = 2.5;
  // Item 1 {hello 1 {1: 1, 2: "n", 4: 1, 6: 1, 10: 2.5}}
  EXPECT_EQ(WireHex<v1::WorkerMessage>(engine::ToCoordinator{hello}),
            "0a14"
            "0a12"
            "0801"
            "12016e"
            "2001"
            "3001"
            "510000000000000440");
}

TEST(GoldenBytes, HelloWithABootId) {
  engine::Hello hello;
  hello.node = "n";
  hello.boot_id = "b1";
  // Item 1 {hello 1 {1: 1, 2: "n", 4: 1, 6: 1, 11: "b1"}}
  EXPECT_EQ(WireHex<v1::WorkerMessage>(engine::ToCoordinator{hello}),
            "0a0f"
            "0a0d"
            "0801"
            "12016e"
            "2001"
            "3001"
            "5a026231");
}

TEST(GoldenBytes, HelloWithAnEpochTag) {
  engine::Hello hello;
  hello.node = "n";
  hello.epoch = 2;
  hello.epoch_tag = "t1";
  // Item 1 {hello 1 {1: 1, 2: "n", 4: 1, 6: 1, 7: 2, 12: "t1"}}
  EXPECT_EQ(WireHex<v1::WorkerMessage>(engine::ToCoordinator{hello}),
            "0a11"
            "0a0f"
            "0801"
            "12016e"
            "2001"
            "3001"
            "3802"
            "62027431");
}

TEST(GoldenBytes, Assign) {
  const engine::Assign assign{
      {{engine::GrantId{1}, {0, 300}, false}, {engine::GrantId{2}, {300, 301}, true}}};
  EXPECT_EQ(WireHex<v1::CoordinatorMessage>(engine::ToWorker{assign}),
            "0a14"
            "1a12"
            "0a05"
            "0801"
            "18ac02"
            "0a09"
            "0802"
            "10ac02"
            "1801"
            "2001");
}

TEST(GoldenBytes, Report) {
  model::PackedResults unequal;
  unequal.Append("a");
  unequal.Append("bc");
  engine::Report report;
  report.completed.push_back({{1, 3},
                              nanoseconds(9),
                              nanoseconds(4),
                              nanoseconds(3),
                              true,
                              model::PackedResults::OfEqualSize(2, 1, "xy")});
  report.completed.push_back({{5, 7}, {}, {}, {}, false, unequal});
  report.failed.push_back({8, "no", nanoseconds(7), engine::GrantId{300}});
  EXPECT_EQ(WireHex<v1::WorkerMessage>(engine::ToCoordinator{report}),
            "0a36"
            "1234"
            "0a14"
            "0801"
            "1002"
            "1809"
            "2004"
            "2803"
            "3001"
            "3a06"
            "0801"
            "1a027879"
            "0a0f"
            "0805"
            "1002"
            "3a09"
            "12020102"
            "1a03616263"
            "120b"
            "0808"
            "12026e6f"
            "1807"
            "20ac02");
}

TEST(GoldenBytes, StampAndEcho) {
  engine::Acknowledge acknowledge{{{2, 5}}, 9, engine::ClockStamp{300}};
  // Item 1 {acknowledge 5 {1: range, 2: 9, 3: 300}}
  EXPECT_EQ(WireHex<v1::CoordinatorMessage>(engine::ToWorker{acknowledge}),
            "0a0d"
            "2a0b"
            "0a0408021003"
            "1009"
            "18ac02");
  engine::Report report;
  report.echo = {engine::ClockStamp{300}, nanoseconds(7)};
  // Item 1 {report 2 {4: {1: 300, 2: 7}}}
  EXPECT_EQ(WireHex<v1::WorkerMessage>(engine::ToCoordinator{report}),
            "0a09"
            "1207"
            "2205"
            "08ac02"
            "1007");
  const engine::GiveBack given{engine::RecallId{4}, {}, report.echo};
  // Item 1 {give_back 3 {1: 4, 3: {1: 300, 2: 7}}}
  EXPECT_EQ(WireHex<v1::WorkerMessage>(engine::ToCoordinator{given}),
            "0a0b"
            "1a09"
            "0804"
            "1a05"
            "08ac02"
            "1007");
}

}  // namespace
}  // namespace evenkeel::protocol
