#include "operator/history/rate_answer.h"

#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/scheduling/history/blended_rates.h"
#include "operator/history/rate_query.h"

namespace evenkeel::operating {
namespace {

using nlohmann::json;
using scheduling::RateSample;

constexpr std::size_t kMaxNodeBytes = 253;
constexpr std::size_t kMaxNumberBytes = 64;

const json& Member(const json& object, const char* name) {
  static const json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string TextOf(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// Of at most that many bytes, in one line.
std::string Excerpt(std::string text) {
  constexpr std::size_t kMaxQuoted = 200;
  if (text.size() > kMaxQuoted) text.resize(kMaxQuoted);
  for (char& c : text) {
    if (c < ' ' || c == '\x7f') c = ' ';  // and all that is no ASCII, which may be cut in two
  }
  return text;
}

tl::unexpected<Error> Nonsense(const std::string& what) {
  return Fail(ErrorCode::kUnavailable, "the answer of Prometheus " + what);
}

/// "1.5e3", "NaN", "+Inf"; NaN if it is no number at all.
double NumberOf(const json& sample) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!sample.is_array() || sample.size() != 2 || !sample[1].is_string()) return kNone;
  const std::string text = sample[1].get<std::string>();
  if (text.empty() || text.size() > kMaxNumberBytes) return kNone;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return *end == '\0' ? number : kNone;
}

struct Figures {
  double units = 0;
  double busy = 0;
  double all_busy = 0;
};

void Take(const json& series, std::map<std::string, Figures>& figures) {
  const json& labels = Member(series, "metric");
  std::string node = TextOf(Member(labels, "exported_node"));
  if (node.empty()) node = TextOf(Member(labels, "node"));
  if (node.empty() || node.size() > kMaxNodeBytes) return;
  const double number = NumberOf(Member(series, "value"));
  const std::string figure = TextOf(Member(labels, figure::kLabel.c_str()));
  if (figure == figure::kUnits) figures[node].units = number;
  if (figure == figure::kBusySeconds) figures[node].busy = number;
  if (figure == figure::kAllBusySeconds) figures[node].all_busy = number;
}

/// A total that has been shown and never rose is no sample.
bool Says(const Figures& one) { return one.units != 0 || one.busy != 0; }

}  // namespace

Result<std::map<std::string, RateSample>> ReadRateAnswer(const std::string& body,
                                                         std::int64_t window_seconds) {
  const json answer = json::parse(body, nullptr, false);
  if (!answer.is_object()) return Nonsense("is no JSON object: " + Excerpt(body));
  const std::string status = TextOf(Member(answer, "status"));
  if (status == "error") {
    return Nonsense("is an error: " + Excerpt(TextOf(Member(answer, "error"))));
  }
  const json& data = Member(answer, "data");
  const json& result = Member(data, "result");
  if (status != "success" || TextOf(Member(data, "resultType")) != "vector" || !result.is_array()) {
    return Nonsense("has no vector of results");
  }
  if (result.size() > kMaxAnswerSeries) {
    return Nonsense("has " + std::to_string(result.size()) + " series, at most " +
                    std::to_string(kMaxAnswerSeries) + " are taken");
  }
  std::map<std::string, Figures> figures;
  for (const json& series : result) Take(series, figures);
  std::map<std::string, RateSample> samples;
  for (const auto& [node, one] : figures) {
    if (!Says(one)) continue;
    samples[node] = {one.units, one.busy,
                     scheduling::MeanAge(one.all_busy, one.busy, window_seconds)};
  }
  return samples;
}

bool IsBuildInfo(const std::string& body) {
  const json answer = json::parse(body, nullptr, false);
  return TextOf(Member(answer, "status")) == "success" &&
         Member(Member(answer, "data"), "version").is_string();
}

}  // namespace evenkeel::operating
