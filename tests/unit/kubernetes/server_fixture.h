#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/client.h"
#include "kubernetes/cpprest_transport.h"
#include "tests/support/in_memory_api_server.h"

namespace evenkeel::kube {

inline const std::string kPodsPath = "/api/v1/pods";
inline const Resource kPods{"", "v1", "pods"};
inline const std::string kJobsPath = "/apis/batch.evenkeel.dev/v1alpha1/weightedjobs";
inline const Resource kJobs{"batch.evenkeel.dev", "v1alpha1", "weightedjobs"};

inline nlohmann::json Pod(const std::string& name,
                          nlohmann::json labels = nlohmann::json::object()) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", "demo"}, {"labels", std::move(labels)}}}};
}

inline nlohmann::json Job(const std::string& name, int size) {
  return {{"apiVersion", "batch.evenkeel.dev/v1alpha1"},
          {"kind", "WeightedJob"},
          {"metadata", {{"name", name}, {"namespace", "demo"}}},
          {"spec", {{"size", size}}}};
}

/// Keeps all lines; stops after `wanted` of them.
class Lines final : public LineSink {
 public:
  explicit Lines(std::size_t wanted = 1'000'000) : wanted_(wanted) {}

  bool OnLine(std::string_view line) override {
    const std::lock_guard lock(mutex_);
    all_.emplace_back(line);
    return all_.size() < wanted_;
  }
  [[nodiscard]] std::vector<std::string> All() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }
  /// "ADDED a", "BOOKMARK "
  [[nodiscard]] std::vector<std::string> Events() const {
    std::vector<std::string> events;
    for (const std::string& line : All()) {
      const auto event = nlohmann::json::parse(line, nullptr, false);
      if (!event.is_object()) {
        events.push_back("no JSON");
        continue;
      }
      const auto& metadata = event["object"]["metadata"];
      events.push_back(event["type"].get<std::string>() + " " + metadata.value("name", ""));
    }
    return events;
  }

 private:
  const std::size_t wanted_;
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
};

/// An API server in memory and a client that talks to it through sockets.
class ServerTest : public ::testing::Test {
 protected:
  explicit ServerTest(CpprestOptions options = {}) {
    options.server = server_.url();
    auto made = MakeCpprestTransport(std::move(options));
    EXPECT_TRUE(made) << made.error().message;
    transport_ = *std::move(made);
    client_ = std::make_unique<Client>(*transport_);
  }

  support::InMemoryApiServer server_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Client> client_;
};

}  // namespace evenkeel::kube
