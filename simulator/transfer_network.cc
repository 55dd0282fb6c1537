#include "simulator/transfer_network.h"

#include <algorithm>

namespace evenkeel::simulator {

using engine::Grant;

TransferNetwork::TransferNetwork(const TransferModel& model)
    : exponential_(model.exponential), streams_(model.streams) {
  for (const auto& placed : model.placed) places_.Put(placed.range, IdOf(placed.node));
  for (const auto& link : model.links) {
    places_.Link(IdOf(link.one), IdOf(link.other), link.tasks_per_second);
  }
}

std::vector<TransferNetwork::Transfer> TransferNetwork::TakeRemote(
    std::size_t node, std::vector<Grant>& grants) const {
  if (places_.Empty()) return {};
  std::vector<Grant> here;
  std::map<std::size_t, Transfer> remote;
  for (const Grant& grant : grants) {
    for (const auto& part : places_.Split(grant.range)) {
      Grant cut = grant;
      cut.range = part.range;
      const bool away = part.home && part.home->value != node;
      if (away) remote[part.home->value].from = part.home->value;
      (away ? remote[part.home->value].grants : here).push_back(std::move(cut));
    }
  }
  grants = std::move(here);
  std::vector<Transfer> transfers;
  for (auto& [from, transfer] : remote) transfers.push_back(std::move(transfer));
  return transfers;
}

std::vector<std::vector<Grant>> TransferNetwork::Pieces(const Transfer& transfer) const {
  if (!streams_) return {transfer.grants};
  std::vector<std::vector<Grant>> pieces;
  for (const Grant& grant : transfer.grants) {
    for (model::TaskIndex i = grant.range.begin; i < grant.range.end; ++i) {
      Grant one = grant;
      one.range = {i, i + 1};
      pieces.push_back({std::move(one)});
    }
  }
  return pieces;
}

Instant TransferNetwork::Send(std::size_t from, std::size_t to, std::int64_t tasks, Instant now,
                              Rng& rng) {
  scheduling::WorkerId at = IdOf(from);
  const auto route = places_.Route(at, IdOf(to));
  if (route.empty()) return kNever;
  for (const scheduling::WorkerId next : route) {
    if (const auto rate = places_.RateOf(at, next)) {
      const double mean = static_cast<double>(tasks) / *rate;
      Instant& busy_until = busy_until_[{at, next}];
      busy_until = now =
          std::max(now, busy_until) + FromSeconds(exponential_ ? rng.Exponential(mean) : mean);
    }
    at = next;
  }
  return now;
}

}  // namespace evenkeel::simulator
