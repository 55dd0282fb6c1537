#include "core/engine/effect_outbox.h"

#include "core/base/check.h"
#include "core/engine/round_trip_estimator.h"

namespace evenkeel::engine {

namespace {

void Stamp(ToWorker& message, Instant now) {
  std::visit(
      [now](auto& kind) {
        if constexpr (requires { kind.stamp; }) kind.stamp = StampOf(now);
      },
      message);
}

}  // namespace

void EffectOutbox::Send(StreamId stream, ToWorker message) {
  statistics_.CountMessage();
  effects_.emplace_back(SendToWorker{stream, std::move(message)});
}

GrantId EffectOutbox::AddGrant(StreamId stream, model::IndexRange range, bool copy,
                               std::int32_t attempt) {
  Grant grant{GrantId{next_grant_++}, range, copy, attempt, {}};
  if (input_of_) {
    model::PackedResults inputs;
    for (model::TaskIndex i = range.begin; i < range.end; ++i) inputs.Append(input_of_(i));
    grant.inputs = model::TaskInputs(range.begin, std::move(inputs));
  }
  const auto [place, fresh] = places_.emplace(stream, assigns_.size());
  if (fresh) assigns_.emplace_back(stream, Assign{});
  const GrantId id = grant.id;
  assigns_[place->second].second.grants.push_back(std::move(grant));
  return id;
}

void EffectOutbox::SendGrants() {
  for (auto& [stream, assign] : assigns_) Send(stream, std::move(assign));
  assigns_.clear();
  places_.clear();
}

Effects EffectOutbox::Take(Instant now) {
  EVENKEEL_CHECK(assigns_.empty(), "grants that were never sent");
  for (Effect& effect : effects_) {
    if (auto* send = std::get_if<SendToWorker>(&effect)) Stamp(send->message, now);
  }
  return std::exchange(effects_, {});
}

}  // namespace evenkeel::engine
