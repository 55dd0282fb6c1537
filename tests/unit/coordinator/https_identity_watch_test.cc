#include "coordinator/service/https_identity_watch.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

namespace evenkeel::coordinator {
namespace {

using std::chrono::milliseconds;

/// Takes every identity whose key is not "bad", and keeps them.
class RecordingHttpServer final : public http::HttpServer {
 public:
  [[nodiscard]] std::uint16_t Port() const override { return 1; }
  [[nodiscard]] Result<void> UseIdentity(const http::HttpIdentity& identity) override {
    const std::scoped_lock lock(mutex_);
    ++asked_;
    changed_.notify_all();
    if (identity.key_pem == "bad") return InvalidInput("no key");
    used_.push_back(identity.certificate_pem);
    return {};
  }

  bool AwaitAsked(int count, std::chrono::milliseconds patience = std::chrono::seconds(30)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return asked_ >= count; });
  }
  std::vector<std::string> Used() {
    const std::scoped_lock lock(mutex_);
    return used_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int asked_ = 0;
  std::vector<std::string> used_;
};

class HttpsIdentityWatchTest : public testing::Test {
 protected:
  HttpsIdentityWatchTest() {
    std::string folder = testing::TempDir() + "https-XXXXXX";
    folder_ = ::mkdtemp(folder.data());
    Write("first", "first");
  }
  ~HttpsIdentityWatchTest() override { std::filesystem::remove_all(folder_); }

  /// The key first: the watch may read between the two.
  void Write(const std::string& certificate, const std::string& key) {
    for (const auto& [name, text] : {std::pair{"tls.key", key}, {"tls.crt", certificate}}) {
      std::ofstream(folder_ / "next") << text;
      std::filesystem::rename(folder_ / "next", folder_ / name);
    }
  }

  std::filesystem::path folder_;
  RecordingHttpServer server_;
};

TEST_F(HttpsIdentityWatchTest, ANewCertificateIsUsedAndABadOneIsNot) {
  Write("first", "bad");
  const HttpsIdentityWatch watch(server_, folder_ / "tls.crt", folder_ / "tls.key",
                                 {"first", "first"}, milliseconds(1));
  ASSERT_TRUE(server_.AwaitAsked(2));  // a bad key is tried again
  EXPECT_TRUE(server_.Used().empty());
  Write("second", "second");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (server_.Used().empty() || server_.Used().back() != "second") {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
}

TEST_F(HttpsIdentityWatchTest, FilesThatHaveNotChangedAreNotUsedAgain) {
  {
    const HttpsIdentityWatch watch(server_, folder_ / "tls.crt", folder_ / "tls.key",
                                   {"other", "other"}, milliseconds(1));
    ASSERT_TRUE(server_.AwaitAsked(1));
    EXPECT_FALSE(server_.AwaitAsked(2, milliseconds(50)));
  }
  EXPECT_EQ(server_.Used(), std::vector<std::string>{"first"});
}

}  // namespace
}  // namespace evenkeel::coordinator
