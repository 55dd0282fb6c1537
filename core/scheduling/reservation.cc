#include "core/scheduling/reservation.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/base/check.h"

namespace evenkeel::scheduling {

using model::Cost;
using model::IndexRange;
using model::TaskIndex;

void Reservation::SetHeld(const model::RangeSet& held) {
  held_ = &held;
  held_tasks_ = Common(held).Size();
}

std::int64_t Reservation::HeldOf(IndexRange range) const {
  std::int64_t tasks = 0;
  if (held_ == nullptr) return tasks;
  held_->ForEachWithin(range, [&tasks](IndexRange part) { tasks += part.Size(); });
  return tasks;
}

void Reservation::Insert(Piece piece) {
  if (piece.range.Empty()) return;
  tasks_ += piece.range.Size();
  held_tasks_ += HeldOf(piece.range);
  cost_ += costs_->Of(piece.range);
  if (heavy_cost_ > costs_->Longest()) {
    InsertLight(piece);
    return;
  }
  TaskIndex light_from = piece.range.begin;
  for (TaskIndex i = piece.range.begin; i < piece.range.end; ++i) {
    if (costs_->Of({i, i + 1}) < heavy_cost_) continue;
    InsertLight({{light_from, i}, piece.moves});
    InsertHeavy(i, piece.moves);
    light_from = i + 1;
  }
  InsertLight({{light_from, piece.range.end}, piece.moves});
}

void Reservation::InsertLight(Piece piece) {
  if (piece.range.Empty()) return;
  auto next = light_.lower_bound(piece.range.begin);
  if (next != light_.end() && next->first == piece.range.end && next->second.moves == piece.moves) {
    piece.range.end = next->second.end;
    next = light_.erase(next);
  }
  if (next != light_.begin()) {
    auto before = std::prev(next);
    EVENKEEL_CHECK(before->second.end <= piece.range.begin, "a task reserved twice");
    if (before->second.end == piece.range.begin && before->second.moves == piece.moves) {
      before->second.end = piece.range.end;
      return;
    }
  }
  light_.emplace_hint(next, piece.range.begin, Tail{piece.range.end, piece.moves});
}

void Reservation::InsertHeavy(TaskIndex index, std::int32_t moves) {
  const bool added = heavy_.emplace(costs_->Of({index, index + 1}), index).second;
  EVENKEEL_CHECK(added, "a task reserved twice");
  heavy_moves_[index] = moves;
}

std::int64_t Reservation::Remove(IndexRange range) {
  const std::int64_t before = tasks_;
  auto heavy = heavy_moves_.lower_bound(range.begin);
  while (heavy != heavy_moves_.end() && heavy->first < range.end) {
    const TaskIndex index = heavy->first;
    ++heavy;
    TakeHeavy(heavy_.find({costs_->Of({index, index + 1}), index}));
  }
  auto light = light_.upper_bound(range.begin);
  if (light != light_.begin()) --light;
  while (light != light_.end() && light->first < range.end) {
    const IndexRange part = model::Intersect({light->first, light->second.end}, range);
    const auto current = light++;
    if (!part.Empty()) CutLight(current, part);
  }
  return before - tasks_;
}

std::vector<Reservation::Piece> Reservation::TakeNext(Cost budget, std::int64_t min_tasks,
                                                      std::int64_t max_tasks) {
  std::vector<Piece> taken;
  std::int64_t count = 0;
  while (!heavy_.empty() && count < max_tasks &&
         (count < min_tasks || std::prev(heavy_.end())->first <= budget)) {
    budget -= std::prev(heavy_.end())->first;
    taken.push_back(TakeHeavy(std::prev(heavy_.end())));
    ++count;
  }
  // While heavy tasks wait, light ones do not overtake them.
  while (heavy_.empty() && !light_.empty() && count < max_tasks) {
    const IndexRange part = Part(NextLight(), true, budget, min_tasks - count, max_tasks - count);
    if (part.Empty()) break;
    budget -= costs_->Of(part);
    count += part.Size();
    taken.push_back(CutLight(std::prev(light_.upper_bound(part.begin)), part));
  }
  return taken;
}

std::map<TaskIndex, Reservation::Tail>::iterator Reservation::Light(bool first) {
  return first == from_back_ ? std::prev(light_.end()) : light_.begin();
}

IndexRange Reservation::NextLight() const {
  const auto front = from_back_ ? std::prev(light_.end()) : light_.begin();
  if (held_tasks_ == 0) return {front->first, front->second.end};
  std::optional<IndexRange> next;
  const auto look = [&](IndexRange whole) {
    held_->ForEachWithin(whole, [&](IndexRange part) {
      if (!next || from_back_) next = part;
    });
  };
  if (from_back_) {
    for (auto it = light_.rbegin(); it != light_.rend() && !next; ++it) {
      look({it->first, it->second.end});
    }
  } else {
    for (auto it = light_.begin(); it != light_.end() && !next; ++it) {
      look({it->first, it->second.end});
    }
  }
  return next.value_or(IndexRange{front->first, front->second.end});
}

IndexRange Reservation::Part(IndexRange whole, bool first, Cost budget, std::int64_t least,
                             std::int64_t most) const {
  const bool at_front = first != from_back_;
  std::int64_t tasks = 0;
  if (budget > 0) {
    tasks = at_front ? costs_->EndWithin(whole, budget) - whole.begin
                     : whole.end - costs_->BeginWithin(whole, budget);
  }
  tasks = std::min({std::max(tasks, least), most, whole.Size()});
  if (at_front) return {whole.begin, whole.begin + tasks};
  return {whole.end - tasks, whole.end};
}

Cost Reservation::LargestHeavy(Cost limit) const {
  const auto above = heavy_.upper_bound({limit, std::numeric_limits<TaskIndex>::max()});
  return above == heavy_.begin() ? 0 : std::prev(above)->first;
}

std::optional<Reservation::Piece> Reservation::TakeLargest(Cost limit) {
  auto above = heavy_.upper_bound({limit, std::numeric_limits<TaskIndex>::max()});
  if (above != heavy_.begin()) return TakeHeavy(std::prev(above));
  return TakeOneOfRanges(true, limit);
}

std::optional<Reservation::Piece> Reservation::TakeShort(Cost limit) {
  if (!light_.empty()) return TakeOneOfRanges(false, limit);
  if (heavy_.empty() || heavy_.begin()->first > limit) return std::nullopt;
  return TakeHeavy(heavy_.begin());
}

std::optional<Reservation::Piece> Reservation::TakeOneOfRanges(bool first, Cost limit) {
  if (light_.empty()) return std::nullopt;
  const auto range = Light(first);
  const IndexRange one = Part({range->first, range->second.end}, first, 0, 1, 1);
  if (costs_->Of(one) > limit) return std::nullopt;
  return CutLight(range, one);
}

std::vector<Reservation::Piece> Reservation::TakeTail(Cost budget, std::int32_t max_moves) {
  std::vector<Piece> taken;
  TakeLightTail(budget, max_moves, taken);
  TakeHeavyTail(budget, max_moves, taken);
  return taken;
}

void Reservation::TakeLightTail(Cost& budget, std::int32_t max_moves, std::vector<Piece>& taken) {
  if (light_.empty()) return;
  for (auto it = Light(false);;) {
    const bool last = it == Light(true);
    const auto next = last ? it : from_back_ ? std::next(it) : std::prev(it);
    if (it->second.moves < max_moves) {
      const IndexRange whole{it->first, it->second.end};
      const IndexRange part = Part(whole, false, budget, 0, whole.Size());
      if (part.Empty()) return;
      budget -= costs_->Of(part);
      taken.push_back(CutLight(it, part));
      if (part.Size() < whole.Size()) return;
    }
    if (last) return;
    it = next;
  }
}

// Every second one, from the largest down: both workers keep large tasks to begin with and small
// ones to even out the end.
void Reservation::TakeHeavyTail(Cost& budget, std::int32_t max_moves, std::vector<Piece>& taken) {
  bool stays = heavy_.size() > 1;
  auto it = heavy_.end();
  while (it != heavy_.begin()) {
    --it;
    if (it->first > budget || heavy_moves_[it->second] >= max_moves) continue;
    stays = !stays;
    if (!stays) continue;
    budget -= it->first;
    const auto current = it;
    it = std::next(it);
    taken.push_back(TakeHeavy(current));
  }
}

std::vector<Reservation::Piece> Reservation::TakeAmong(const model::RangeSet& tasks, Cost budget,
                                                       std::int32_t max_moves) {
  std::vector<IndexRange> parts;
  for (const auto& [begin, tail] : light_) {
    if (tail.moves >= max_moves) continue;
    tasks.ForEachWithin({begin, tail.end}, [&parts](IndexRange part) { parts.push_back(part); });
  }
  if (!from_back_) std::reverse(parts.begin(), parts.end());
  std::vector<Piece> taken;
  for (const IndexRange whole : parts) {
    const IndexRange part = Part(whole, false, budget, 0, whole.Size());
    if (part.Empty()) break;
    budget -= costs_->Of(part);
    taken.push_back(CutLight(std::prev(light_.upper_bound(part.begin)), part));
  }
  for (auto it = heavy_.end(); it != heavy_.begin();) {
    --it;
    if (it->first > budget || heavy_moves_[it->second] >= max_moves) continue;
    if (!tasks.Contains(it->second)) continue;
    budget -= it->first;
    const auto current = it;
    it = std::next(it);
    taken.push_back(TakeHeavy(current));
  }
  return taken;
}

std::vector<Reservation::Piece> Reservation::TakeAll() {
  std::vector<Piece> taken;
  for (const auto& [begin, tail] : light_) taken.push_back({{begin, tail.end}, tail.moves});
  for (const auto& [index, moves] : heavy_moves_) taken.push_back({{index, index + 1}, moves});
  light_.clear();
  heavy_.clear();
  heavy_moves_.clear();
  tasks_ = held_tasks_ = 0;
  cost_ = 0;
  return taken;
}

std::optional<TaskIndex> Reservation::FirstOfRanges() const {
  if (light_.empty()) return std::nullopt;
  return from_back_ ? light_.rbegin()->second.end - 1 : light_.begin()->first;
}

std::optional<TaskIndex> Reservation::LastOfRanges() const {
  if (light_.empty()) return std::nullopt;
  return from_back_ ? light_.begin()->first : light_.rbegin()->second.end - 1;
}

bool Reservation::Contains(IndexRange range) const {
  for (TaskIndex i = range.begin; i < range.end;) {
    if (heavy_moves_.contains(i)) {
      ++i;
      continue;
    }
    auto after = light_.upper_bound(i);
    if (after == light_.begin() || std::prev(after)->second.end <= i) return false;
    i = std::prev(after)->second.end;
  }
  return true;
}

model::RangeSet Reservation::Common(const model::RangeSet& tasks) const {
  model::RangeSet common;
  for (const auto& [begin, tail] : light_) {
    tasks.ForEachWithin({begin, tail.end}, [&common](IndexRange part) { common.Insert(part); });
  }
  for (const auto& [index, moves] : heavy_moves_) {
    if (tasks.Contains(index)) common.Insert({index, index + 1});
  }
  return common;
}

model::RangeSet Reservation::Others(const model::RangeSet& tasks) const {
  model::RangeSet others;
  for (const auto& [begin, tail] : light_) {
    for (const IndexRange part : tasks.Missing({begin, tail.end})) others.Insert(part);
  }
  for (const auto& [index, moves] : heavy_moves_) {
    if (!tasks.Contains(index)) others.Insert({index, index + 1});
  }
  return others;
}

Reservation::Piece Reservation::TakeHeavy(std::set<Heavy>::iterator it) {
  const auto [cost, index] = *it;
  auto moves = heavy_moves_.find(index);
  const Piece piece{{index, index + 1}, moves->second};
  heavy_moves_.erase(moves);
  heavy_.erase(it);
  --tasks_;
  held_tasks_ -= HeldOf(piece.range);
  cost_ -= cost;
  return piece;
}

Reservation::Piece Reservation::CutLight(std::map<TaskIndex, Tail>::iterator it, IndexRange part) {
  const IndexRange whole{it->first, it->second.end};
  const std::int32_t moves = it->second.moves;
  EVENKEEL_CHECK(whole.Contains(part), "a cut outside of the piece");
  if (part.begin > whole.begin) {
    it->second.end = part.begin;
  } else {
    light_.erase(it);
  }
  if (part.end < whole.end) light_.emplace(part.end, Tail{whole.end, moves});
  tasks_ -= part.Size();
  held_tasks_ -= HeldOf(part);
  cost_ -= costs_->Of(part);
  return {part, moves};
}

}  // namespace evenkeel::scheduling
