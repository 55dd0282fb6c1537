#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "kubernetes/leader_election.h"

namespace evenkeel::kube {
namespace {

using std::chrono::seconds;
using Kind = ElectionAnswer::Kind;

/// One lease on a server that refuses writes based on an old version.
struct Server {
  bool exists = false;
  LeaseRecord record;
  int version = 0;
};

/// A process that takes part; its clock began at another time than the others'.
struct Candidate {
  ElectionMachine machine;
  Duration clock_offset;
  int seen_version = 0;

  [[nodiscard]] Instant Local(Instant now) const { return now + clock_offset; }
  [[nodiscard]] bool Acts(Instant now) const {
    return machine.Leads() && !machine.HasLost(Local(now));
  }
};

/// Several candidates, requests that take long or fail (before or after they took effect),
/// processes that die and come back: time goes on in tenths of a second.
class World {
 public:
  explicit World(std::uint64_t seed) : rng_(seed) {
    for (int i = 0; i < 3; ++i) {
      candidates_.push_back({NewMachine(), seconds(rng_.Between(0, 1000000))});
      flights_.emplace_back();
    }
  }

  void Tick() {
    now_ += std::chrono::milliseconds(100);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (rng_.Chance(0.0005)) Restart(i);
      Step(i);
    }
  }

  [[nodiscard]] std::int64_t Leaders() const {
    return std::count_if(candidates_.begin(), candidates_.end(),
                         [this](const Candidate& one) { return one.Acts(now_); });
  }
  void SetFailureRate(double rate) { failure_rate_ = rate; }

 private:
  /// A request under way: it takes effect (or not) in the middle and is answered at the end.
  struct Flight {
    bool under_way = false;
    ElectionRequest request;
    ElectionAnswer answer;
    Instant effect{};
    Instant end{};
    bool done = false;
  };

  ElectionMachine NewMachine() {
    const std::string identity = "candidate-" + std::to_string(++born_);
    return ElectionMachine(ElectionOptions{.identity = identity}, rng_.Next());
  }

  void Restart(std::size_t i) {
    candidates_[i].machine = NewMachine();
    flights_[i] = {};
  }

  void Step(std::size_t i) {
    Candidate& one = candidates_[i];
    Flight& flight = flights_[i];
    if (one.machine.HasLost(one.Local(now_))) Restart(i);
    if (!flight.under_way) {
      const ElectionRequest request =
          one.machine.Next(std::to_string(now_.time_since_epoch().count()));
      if (request.not_before > one.Local(now_)) return;
      one.machine.Started(one.Local(now_));
      const Duration took = rng_.Chance(0.05) ? Duration(seconds(rng_.Between(5, 14)))
                                              : Duration(std::chrono::milliseconds(50));
      flight = {true, request, {}, now_ + took / 2, now_ + took, false};
    }
    if (!flight.done && now_ >= flight.effect) {
      flight.done = true;
      flight.answer = rng_.Chance(failure_rate_) ? ElectionAnswer{} : Effect(one, flight.request);
      if (rng_.Chance(failure_rate_)) flight.answer = {};
    }
    if (now_ >= flight.end) {
      flight.under_way = false;
      one.machine.Answered(flight.request, flight.answer, one.Local(now_));
    }
  }

  ElectionAnswer Effect(Candidate& one, const ElectionRequest& request) {
    const bool creates = request.kind == ElectionRequestKind::kCreate;
    if (creates && server_.exists) return {Kind::kConflict, {}};
    if (!creates && !server_.exists) return {Kind::kNotFound, {}};
    if (request.kind == ElectionRequestKind::kUpdate && one.seen_version != server_.version) {
      return {Kind::kConflict, {}};
    }
    if (request.kind != ElectionRequestKind::kRead) {
      server_ = {true, request.record, server_.version + 1};
    }
    one.seen_version = server_.version;
    return {Kind::kRecord, server_.record};
  }

  Rng rng_;
  Server server_;
  std::vector<Candidate> candidates_;
  std::vector<Flight> flights_;
  Instant now_{};
  double failure_rate_ = 0;
  int born_ = 0;
};

TEST(ElectionSimulation, ThereAreNeverTwoLeadersAndSoonOne) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    int led = 0;
    for (int tick = 0; tick < 20000; ++tick) {
      world.SetFailureRate(tick / 2000 % 3 == 1 ? 0.5 : 0.02);
      world.Tick();
      ASSERT_LE(world.Leaders(), 1) << "tick " << tick;
      if (world.Leaders() == 1) ++led;
    }
    EXPECT_GT(led, 20000 / 3) << "the lease has a holder most of the time";
  }
}

}  // namespace
}  // namespace evenkeel::kube
