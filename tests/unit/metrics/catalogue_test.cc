#include "core/metrics/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace evenkeel::metrics {
namespace {

std::string_view TypeName(MetricType type) {
  if (type == MetricType::kCounter) return "counter";
  return type == MetricType::kGauge ? "gauge" : "histogram";
}

/// Of coordinators and the operator.
std::vector<MetricDefinition> All() {
  std::vector<MetricDefinition> all;
  for (const auto source : {MetricSource::kCoordinator, MetricSource::kOperator}) {
    all.insert(all.end(), Catalogue(source).begin(), Catalogue(source).end());
  }
  return all;
}

/// Those whose names are not ours to choose: every controller has them.
bool IsCommon(const MetricDefinition& definition) {
  const auto begins = [&](std::string_view start) { return definition.name.starts_with(start); };
  return begins("controller_runtime_") || begins("workqueue_") || begins("rest_client_") ||
         begins("leader_election_") || begins("process_");
}

bool Has(const MetricDefinition& definition, const Label& label) {
  return std::any_of(definition.labels.begin(), definition.labels.end(),
                     [&](const Label& other) { return other.name == label.name; });
}

TEST(Catalogue, NamesAreTakenOnce) {
  std::set<std::string_view> names;
  for (const auto& definition : All()) {
    EXPECT_TRUE(names.insert(definition.name).second) << definition.name;
    EXPECT_EQ(Definition(definition.metric).name, definition.name);
  }
  EXPECT_EQ(names.size(), All().size());
}

TEST(Catalogue, NamesHaveOnePrefixAndEndWithTotalOnCountersOnly) {
  for (const auto& definition : All()) {
    EXPECT_TRUE(definition.name.starts_with("evenkeel_") || IsCommon(definition))
        << definition.name;
    EXPECT_EQ(definition.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"),
              std::string_view::npos)
        << definition.name;
    EXPECT_EQ(definition.name.ends_with("_total"), definition.type == MetricType::kCounter)
        << definition.name;
  }
}

TEST(Catalogue, NamesSayTheBaseUnitLast) {
  for (const auto& definition : All()) {
    if (IsCommon(definition)) continue;
    std::string_view name = definition.name;
    if (name.ends_with("_total")) name.remove_suffix(std::string_view("_total").size());
    const std::string ending = "_" + std::string(definition.unit);
    if (definition.unit == "tasks") {
      EXPECT_NE(name.find(ending), std::string_view::npos) << definition.name;
    } else {
      EXPECT_TRUE(name.ends_with(ending)) << definition.name;
    }
  }
}

TEST(Catalogue, HelpIsOneSentence) {
  for (const auto& definition : All()) {
    EXPECT_TRUE(definition.help.ends_with('.')) << definition.name;
    EXPECT_EQ(definition.help.find('\n'), std::string_view::npos) << definition.name;
  }
}

TEST(Catalogue, OnlyHistogramsHaveBucketsAndTheyRise) {
  for (const auto& definition : All()) {
    const auto& buckets = definition.buckets;
    EXPECT_EQ(!buckets.empty(), definition.type == MetricType::kHistogram) << definition.name;
    EXPECT_EQ(std::adjacent_find(buckets.begin(), buckets.end(), std::greater_equal<>()),
              buckets.end())
        << definition.name;
  }
}

TEST(Catalogue, LabelsAreBounded) {
  const std::set<std::string_view> per_node_or_job = {
      kNode.name, kProfile.name, kNamespace.name, kWeightedJob.name,
      kCode.name, kHost.name,    kMethod.name,    kJobNamespace.name};
  for (const auto& definition : All()) {
    for (const Label& label : definition.labels) {
      EXPECT_NE(label.name, "job") << "Prometheus uses it itself: " << definition.name;
      EXPECT_TRUE(!label.values.empty() || per_node_or_job.contains(label.name)) << label.name;
    }
  }
}

TEST(Catalogue, OnlyGaugesNameTheJob) {
  for (const auto& definition : All()) {
    if (Has(definition, kWeightedJob)) {
      EXPECT_EQ(definition.type, MetricType::kGauge) << definition.name;
    }
  }
}

// The row of a metric in the documentation's table: | `name` | type | labels | ...
std::string ExpectedRow(const MetricDefinition& definition) {
  std::string row = "| `" + std::string(definition.name) + "` | ";
  row += std::string(TypeName(definition.type)) + " | ";
  for (std::size_t i = 0; i < definition.labels.size(); ++i) {
    row += (i > 0 ? ", `" : "`") + std::string(definition.labels[i].name) + "`";
  }
  return row + (definition.labels.empty() ? "| " : " | ");
}

TEST(Catalogue, IsWhatTheDocumentationSays) {
  std::ifstream file(EVENKEEL_SOURCE_DIR "/docs/metrics.md");
  std::stringstream text;
  text << file.rdbuf();
  std::size_t rows = 0;
  for (std::string line; std::getline(text, line);) {
    rows += std::regex_search(line, std::regex("^\\| `[a-z_]+` \\| (counter|gauge|histogram) \\|"));
  }
  EXPECT_EQ(rows, All().size());
  for (const auto& definition : All()) {
    EXPECT_NE(text.str().find("\n" + ExpectedRow(definition)), std::string::npos)
        << ExpectedRow(definition);
  }
}

}  // namespace
}  // namespace evenkeel::metrics
