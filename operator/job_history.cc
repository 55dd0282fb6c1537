#include "operator/job_history.h"

#include <algorithm>

namespace evenkeel::controller {

void JobHistory::Expect(const std::string& profile, const std::vector<std::string>& nodes) {
  const std::scoped_lock lock(mutex_);
  Profile& known = Touch(profile);
  for (const std::string& node : nodes) At(known, node);
}

void JobHistory::Count(const std::string& profile, const std::vector<DoneWork>& work) {
  const std::scoped_lock lock(mutex_);
  ++counted_;
  Profile& known = Touch(profile);
  for (const DoneWork& done : work) {
    Total* const total = At(known, done.node);
    if (total == nullptr) continue;
    total->units += done.units;
    total->busy_seconds += done.busy_seconds;
    total->joules += done.joules;
  }
}

void JobHistory::Miss() {
  const std::scoped_lock lock(mutex_);
  ++missed_;
}

JobHistory::Figures JobHistory::Show() {
  const std::scoped_lock lock(mutex_);
  Figures figures;
  figures.counted = counted_;
  figures.missed = missed_;
  figures.rows.reserve(rows_);
  for (auto& [name, profile] : profiles_) {
    for (auto& [node, total] : profile.nodes) {
      Row row{name, {node, 0, 0, 0}};
      if (total.shown) row.done = {node, total.units, total.busy_seconds, total.joules};
      total.shown = true;
      figures.rows.push_back(std::move(row));
    }
  }
  return figures;
}

JobHistory::Profile& JobHistory::Touch(const std::string& profile) {
  Profile& known = profiles_[profile];
  known.touched = ++calls_;
  return known;
}

JobHistory::Total* JobHistory::At(Profile& profile, const std::string& node) {
  const auto known = profile.nodes.find(node);
  if (known != profile.nodes.end()) return &known->second;
  if (rows_ == max_rows_) MakeRoom(profile);
  if (rows_ == max_rows_) return nullptr;
  ++rows_;
  return &profile.nodes[node];
}

void JobHistory::MakeRoom(const Profile& keep) {
  const auto oldest = std::min_element(
      profiles_.begin(), profiles_.end(),
      [](const auto& a, const auto& b) { return a.second.touched < b.second.touched; });
  if (&oldest->second == &keep) return;
  rows_ -= oldest->second.nodes.size();
  profiles_.erase(oldest);
}

}  // namespace evenkeel::controller
