#include "cluster/node.h"

#include <algorithm>

namespace evenkeel::cluster {

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op == "Exists") return true;
  const bool equal = toleration.op.empty() || toleration.op == "Equal";
  return equal && !toleration.key.empty() && toleration.value == taint.value;
}

std::optional<Taint> FirstUntolerated(const std::vector<Taint>& taints,
                                      const std::vector<Toleration>& tolerations) {
  for (const Taint& taint : taints) {
    if (taint.effect == "PreferNoSchedule") continue;
    const bool tolerated =
        std::any_of(tolerations.begin(), tolerations.end(),
                    [&taint](const Toleration& one) { return Tolerates(one, taint); });
    if (!tolerated) return taint;
  }
  return std::nullopt;
}

}  // namespace evenkeel::cluster
