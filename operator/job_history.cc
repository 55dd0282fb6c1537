#include "operator/job_history.h"

#include <algorithm>

namespace evenkeel::controller {

void JobHistory::Expect(const ProfileKey& key, const std::vector<std::string>& nodes) {
  const std::scoped_lock lock(mutex_);
  Profile& known = Touch(key);
  for (const std::string& node : nodes) At(known, node);
}

void JobHistory::Count(const ProfileKey& key, const std::vector<DoneWork>& work) {
  const std::scoped_lock lock(mutex_);
  ++counted_;
  Profile& known = Touch(key);
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

JobHistory::Figures JobHistory::Show() const {
  const std::scoped_lock lock(mutex_);
  const Instant now = clock_.Now();
  Figures figures;
  figures.counted = counted_;
  figures.missed = missed_;
  figures.rows.reserve(rows_);
  for (const auto& [key, profile] : profiles_) {
    for (const auto& [node, total] : profile.nodes) {
      Row row{key, {node, 0, 0, 0}};
      if (now - total.added >= 2 * options_.scrape_interval) {
        row.done = {node, total.units, total.busy_seconds, total.joules};
      }
      figures.rows.push_back(std::move(row));
    }
  }
  return figures;
}

JobHistory::Profile& JobHistory::Touch(const ProfileKey& key) {
  Profile& known = profiles_[key];
  known.touched = ++calls_;
  return known;
}

JobHistory::Total* JobHistory::At(Profile& profile, const std::string& node) {
  const auto known = profile.nodes.find(node);
  if (known != profile.nodes.end()) return &known->second;
  if (rows_ == options_.max_rows) MakeRoom(profile);
  if (rows_ == options_.max_rows) return nullptr;
  ++rows_;
  Total& total = profile.nodes[node];
  total.added = clock_.Now();
  return &total;
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
