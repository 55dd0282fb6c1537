#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "coordinator/journal.h"

namespace evenkeel::coordinator {

inline JobIdentity PrimesJob() { return {"primes", "primes", 1, R"({"end":1000})", 1000000}; }

/// One task's result of two bytes.
inline model::ResultRecord OneTask(model::TaskIndex index, const std::string& node = "pi-1") {
  model::ResultRecord record;
  record.range = {index, index + 1};
  record.node = node;
  record.started = Duration{index};
  record.ended = Duration{index + 1};
  record.busy = Duration{1};
  record.results = model::PackedResults::OfEqualSize(1, 2, "ok");
  return record;
}

inline std::string FileBytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Runs SQL on a journal that is closed.
inline void Execute(const std::filesystem::path& file, const char* sql) {
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &connection), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(connection);
}

class JournalTest : public testing::Test {
 protected:
  JournalTest() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "evenkeel-journal-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~JournalTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path File() const { return folder_ / "journal.db"; }

  std::unique_ptr<Journal> MustOpen(const JobIdentity& identity = PrimesJob()) {
    auto journal = Journal::Open(folder_, identity);
    EXPECT_TRUE(journal) << journal.error().message;
    return journal ? std::move(*journal) : nullptr;
  }

  /// Expects that opening fails with this code and a line that contains `part`.
  void ExpectRefused(const JobIdentity& identity, ErrorCode code, const std::string& part) {
    const auto journal = Journal::Open(folder_, identity);
    ASSERT_FALSE(journal);
    EXPECT_EQ(journal.error().code, code) << journal.error().message;
    EXPECT_NE(journal.error().message.find(part), std::string::npos) << journal.error().message;
    EXPECT_EQ(journal.error().message.find('\n'), std::string::npos);
  }

  /// Runs `body` in a child process and returns its status of waitpid(2).
  static int InChild(const std::function<bool()>& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  std::filesystem::path folder_;
};

}  // namespace evenkeel::coordinator
