#pragma once

#include <map>
#include <mutex>
#include <string>

#include "kubernetes/informer.h"
#include "tests/unit/kubernetes/against_server.h"

namespace evenkeel::kube {

inline constexpr const char* kNodes = "/api/v1/nodes";

/// Follows nodes, of which it keeps one text, and checks what handlers hear on the way.
class InformerFixture : public AgainstServer {
 protected:
  static ReflectorOptions Quick() {
    ReflectorOptions options;
    options.resource = {"", "v1", "nodes", false};
    options.reconnect.shortest = std::chrono::milliseconds(5);
    options.reconnect.longest = std::chrono::milliseconds(50);
    return options;
  }

  static Result<std::string> TextOf(const Json& object) {
    const auto& spec = MemberOf(object, "spec");
    return TextAt(spec, "text");
  }

  void Follow(const ReflectorOptions& options) {
    informer_ = std::make_unique<Informer<std::string>>(Access(), options, TextOf, 1);
    informer_->AddHandler(
        {[this](const ObjectKey& key, const std::string& now) {
           const std::scoped_lock lock(mutex_);
           EXPECT_TRUE(heard_.emplace(key.name, now).second) << key.name;
         },
         [this](const ObjectKey& key, const std::string& before, const std::string& now) {
           const std::scoped_lock lock(mutex_);
           EXPECT_EQ(heard_[key.name], before);
           heard_[key.name] = now;
         },
         [this](const ObjectKey& key, const std::string& last) {
           const std::scoped_lock lock(mutex_);
           EXPECT_EQ(heard_[key.name], last);
           heard_.erase(key.name);
         }});
    informer_->Start();
  }

  void FollowUntilSynced(const ReflectorOptions& options) {
    Follow(options);
    ASSERT_TRUE(informer_->WaitUntilSynced(std::chrono::seconds(10), {}));
    ASSERT_TRUE(server_.WaitForWatches(1));
  }

  void TearDown() override {
    if (informer_) informer_->Stop();
  }

  void PutNode(const std::string& name, const std::string& text) {
    server_.Put(kNodes, {{"apiVersion", "v1"},
                         {"kind", "Node"},
                         {"metadata", {{"name", name}}},
                         {"spec", {{"text", text}}}});
  }

  /// True if the store and the handlers have these nodes with these texts.
  bool HasNodes(const std::map<std::string, std::string>& nodes) {
    return Eventually([&] {
      const std::scoped_lock lock(mutex_);
      if (heard_ != nodes || informer_->Objects().Size() != nodes.size()) return false;
      for (const auto& [name, text] : nodes) {
        const auto value = informer_->Objects().Find({"", name});
        if (!value || *value != text) return false;
      }
      return true;
    });
  }

  std::unique_ptr<Informer<std::string>> informer_;
  std::mutex mutex_;
  std::map<std::string, std::string> heard_;  // guarded by mutex_
};

}  // namespace evenkeel::kube
