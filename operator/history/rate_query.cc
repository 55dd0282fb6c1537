#include "operator/history/rate_query.h"

#include <cstdio>

#include "core/metrics/catalogue.h"
#include "core/scheduling/history/blended_rates.h"

namespace evenkeel::operating {
namespace {

/// A text in PromQL's quotation marks.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '"';
}

/// The rises of the metric within the last seconds, a series a node and operator.
std::string Rise(metrics::Metric metric, const std::string& profile, std::int64_t seconds) {
  return "increase(" + std::string(metrics::Definition(metric).name) +
         "{profile=" + Quoted(profile) + "}[" + std::to_string(seconds) + "s])";
}

/// "or" keeps what has other labels: a window in which there is nothing takes nothing away.
std::string Weighed(metrics::Metric metric, const std::string& profile,
                    std::int64_t window_seconds) {
  std::string sum;
  for (const auto& window : scheduling::RecencyWindows(window_seconds)) {
    char factor[32];
    std::snprintf(factor, sizeof factor, "%.6f", window.factor);
    if (!sum.empty()) sum += " or ";
    sum += "label_replace(" + std::string(factor) + " * " + Rise(metric, profile, window.seconds) +
           ",\"within\",\"" + std::to_string(window.seconds) + "\",\"\",\"\")";
  }
  return sum;
}

std::string Figure(const std::string& name, const std::string& rises) {
  return "label_replace(sum by (node,exported_node) (" + rises + "),\"" + figure::kLabel + "\",\"" +
         name + "\",\"\",\"\")";
}

}  // namespace

std::string RateQuery(const std::string& profile, std::int64_t window_seconds) {
  using metrics::Metric;
  return Figure(figure::kUnits, Weighed(Metric::kHistoryUnits, profile, window_seconds)) + " or " +
         Figure(figure::kBusySeconds, Weighed(Metric::kHistoryBusy, profile, window_seconds)) +
         " or " +
         Figure(figure::kAllBusySeconds, Rise(Metric::kHistoryBusy, profile, window_seconds));
}

}  // namespace evenkeel::operating
