#include "labeller/board_look.h"

#include <cstdio>

#include "labeller/speed_probe.h"

namespace evenkeel::labeller {

BoardLook LookAtBoard(const LookOptions& options) {
  BoardLook look{ReadBoardFacts(options.root, options.kernel_machine), false};
  if (!options.probe) return look;
  // These are the same in every container, so they need not be mounted.
  const bool mounted = RootedFiles(options.root).Read("/proc/uptime").has_value();
  const std::string why_not = WhyNotProbe(RootedFiles(mounted ? options.root : "/"));
  if (!why_not.empty()) {
    look.probe_put_off = true;
    look.facts.notes.push_back("no speed probe now: " + why_not);
    return look;
  }
  const ProbeResult probe = ProbeSpeed();
  if (const auto score = ScoreOf(probe)) {
    look.facts.labels[kProbeScore] = *score;
    return look;
  }
  char note[128];
  std::snprintf(note, sizeof note, "the speed probe was too noisy: samples were %.0f %% apart",
                probe.noise * 100);
  look.probe_put_off = true;
  look.facts.notes.emplace_back(note);
  return look;
}

Labels LabelsOf(const BoardFacts& facts) {
  Labels labels;
  for (const auto& [label, found] : facts.labels) labels[label] = found.value;
  return labels;
}

}  // namespace evenkeel::labeller
