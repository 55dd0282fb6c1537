#include "tests/unit/metrics/exposition.h"

#include <cmath>
#include <limits>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace evenkeel::metrics {
namespace {

const std::regex kHelp("# HELP ([a-z_]+) (.+)");
const std::regex kType("# TYPE ([a-z_]+) (counter|gauge|histogram)");
const std::regex kSample(R"re(([a-z_]+)(?:\{(.*)\})? (\S+))re");
const std::regex kLabel(R"re(([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"(,|$))re");

std::string Unescape(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      plain += text[i];
    } else {
      ++i;
      plain += text[i] == 'n' ? '\n' : text[i];
    }
  }
  return plain;
}

std::optional<LabelValues> ParseLabels(std::string text) {
  LabelValues labels;
  std::smatch match;
  while (!text.empty()) {
    const auto from_start = std::regex_constants::match_continuous;
    if (!std::regex_search(text, match, kLabel, from_start)) return std::nullopt;
    if (!labels.emplace(match[1], Unescape(match[2])).second) return std::nullopt;
    text = match.suffix();
  }
  return labels;
}

std::optional<double> ParseValue(const std::string& text) {
  std::size_t used = 0;
  try {
    const double value = std::stod(text, &used);
    return used == text.size() ? std::optional(value) : std::nullopt;
  } catch (const std::logic_error&) {
    return std::nullopt;
  }
}

std::optional<Sample> ParseSample(const std::string& line) {
  std::smatch match;
  if (!std::regex_match(line, match, kSample)) return std::nullopt;
  const auto labels = ParseLabels(match[2]);
  const auto value = ParseValue(match[3]);
  if (!labels || !value) return std::nullopt;
  return Sample{match[1], *labels, *value};
}

bool BelongsTo(const std::string& sample, const std::string& family, const std::string& type) {
  if (type != "histogram") return sample == family;
  return sample == family + "_bucket" || sample == family + "_sum" || sample == family + "_count";
}

/// Reads line by line.
class Parser {
 public:
  bool Take(const std::string& line) {
    std::smatch match;
    if (std::regex_match(line, match, kHelp)) {
      current_ = match[1];
      return families_.emplace(current_, MetricFamily{match[2], {}, {}}).second;
    }
    if (std::regex_match(line, match, kType)) {
      if (match[1] != current_ || !families_[current_].type.empty()) return false;
      families_[current_].type = match[2];
      return true;
    }
    const auto sample = ParseSample(line);
    if (!sample || current_.empty()) return false;
    MetricFamily& family = families_[current_];
    family.samples.push_back(*sample);
    return BelongsTo(sample->name, current_, family.type) &&
           seen_.emplace(sample->name, sample->labels).second;
  }
  [[nodiscard]] const Exposition& Families() const { return families_; }

 private:
  Exposition families_;
  std::string current_;
  std::set<std::pair<std::string, LabelValues>> seen_;
};

}  // namespace

double MetricFamily::At(const std::string& name, const LabelValues& labels) const {
  for (const auto& sample : samples) {
    if (sample.name == name && sample.labels == labels) return sample.value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Result<Exposition> ParseExposition(const std::string& text) {
  if (text.empty() || text.back() != '\n') return InvalidInput("no newline at the end");
  std::istringstream lines(text);
  Parser parser;
  for (std::string line; std::getline(lines, line);) {
    if (!parser.Take(line)) return InvalidInput(line);
  }
  return parser.Families();
}

}  // namespace evenkeel::metrics
