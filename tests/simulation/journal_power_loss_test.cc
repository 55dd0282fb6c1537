// Drawn runs of a journal whose power fails at drawn moments. EVENKEEL_SEED=n replays one of them,
// EVENKEEL_SEEDS=n sets their number in soak.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "coordinator/journal.h"
#include "coordinator/journal_writer.h"
#include "coordinator/loop_inbox.h"
#include "core/base/check.h"
#include "core/base/rng.h"
#include "tests/support/power_loss_disk.h"

namespace evenkeel::coordinator {
namespace {

using support::PowerLossDisk;

constexpr std::uint64_t kSeeds = 1000;
constexpr std::int64_t kTasksPerPart = 100'000;

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// A job of `parts` parts of kTasksPerPart tasks, to which parts can be appended.
JobIdentity JobOf(std::int64_t parts) {
  JobIdentity identity{"thumbs", "command", 1, "{\"parts\":" + std::to_string(parts) + "}",
                       parts * kTasksPerPart};
  identity.continues = [parts](const JobIdentity& earlier) {
    return earlier.task_count <= parts * kTasksPerPart;
  };
  return identity;
}

/// All fields of a record in one comparable string.
std::string Text(const model::ResultRecord& result) {
  std::ostringstream text;
  text << result.range.begin << ".." << result.range.end << ' ' << result.node << ' '
       << result.started.count() << ' ' << result.ended.count() << ' ' << result.busy.count() << ' '
       << static_cast<int>(result.kind);
  for (const std::uint32_t size : result.results.Sizes()) text << ' ' << size;
  text << ' ' << result.results.Bytes();
  return text.str();
}

std::string Text(const model::FailureRecord& failure) {
  std::ostringstream text;
  text << failure.index << ' ' << failure.node << ' ' << failure.reason << ' ' << failure.attempt
       << ' ' << failure.final << ' ' << failure.exit_code.value_or(-1) << ' ' << failure.record;
  return text.str();
}

std::string Text(const model::TimelineEvent& event) {
  std::ostringstream text;
  text << static_cast<int>(event.kind) << ' ' << event.start.count() << ' ' << event.end.count()
       << ' ' << event.sigma.count() << ' ' << event.node << ' ' << event.from_node << ' '
       << event.tasks << ' ' << event.detail;
  return text.str();
}

/// One transaction, as it was handed to the journal.
struct Transaction {
  std::vector<model::ResultRecord> results{};
  std::vector<model::FailureRecord> failures{};
  std::vector<model::TimelineEvent> events{};
  std::optional<std::int64_t> grown_to{};  ///< parts
  std::optional<model::JobState> ended{};
  [[nodiscard]] bool HasRows() const {
    return !results.empty() || !failures.empty() || !events.empty();
  }
};

/// The contents of a journal, in the order in which it returns them.
struct Content {
  std::vector<std::string> results;
  std::vector<std::string> failures;
  std::vector<std::string> final_failures;
  std::vector<std::string> events;
  friend bool operator==(const Content&, const Content&) = default;
};

/// The transactions given to a journal, and how many of them it has acknowledged. The journal
/// writes one transaction after the other, so a journal that was read again must contain exactly
/// the first n transactions, and n is at least the number of those acknowledged.
class Ledger {
 public:
  void Submit(Transaction transaction) { transactions_.push_back(std::move(transaction)); }
  void Acknowledge() { acknowledged_ = transactions_.size(); }

  [[nodiscard]] std::int64_t Parts() const { return PartsAfter(transactions_.size()); }
  [[nodiscard]] std::int64_t AcknowledgedParts() const { return PartsAfter(acknowledged_); }
  [[nodiscard]] bool IsAcknowledged(model::TaskIndex task) const {
    for (std::size_t n = 0; n < acknowledged_; ++n) {
      for (const auto& result : transactions_[n].results) {
        if (result.range.Contains(task)) return true;
      }
    }
    return false;
  }

  /// Compares with a journal that was opened as JobOf(Parts()). From then on what it contains is
  /// what was acknowledged. Returns what is wrong, or nothing.
  std::string Compare(const JournalState& state, const Content& content) {
    for (std::size_t n = acknowledged_; n <= transactions_.size(); ++n) {
      const bool complete = EndedAfter(n) && PartsAfter(n) == Parts();
      if (ContentAfter(n) != content || complete != state.complete) continue;
      const std::int64_t parts = Parts();
      transactions_.resize(n);
      if (PartsAfter(n) != parts) Submit({.grown_to = parts});
      Acknowledge();
      return {};
    }
    const Content acknowledged = ContentAfter(acknowledged_);
    std::ostringstream text;
    text << (Includes(content.results, acknowledged.results) ? "unexpected content: "
                                                             : "acknowledged results are lost: ")
         << content.results.size() << " results, " << content.failures.size() << " failures, "
         << content.events.size() << " events, complete " << state.complete << "; acknowledged "
         << acknowledged.results.size() << ", " << acknowledged.failures.size() << ", "
         << acknowledged.events.size();
    return text.str();
  }

 private:
  static bool Includes(std::vector<std::string> all, std::vector<std::string> part) {
    std::sort(part.begin(), part.end());
    std::sort(all.begin(), all.end());
    return std::includes(all.begin(), all.end(), part.begin(), part.end());
  }

  [[nodiscard]] std::int64_t PartsAfter(std::size_t n) const {
    std::int64_t parts = 1;
    for (std::size_t i = 0; i < n; ++i) parts = transactions_[i].grown_to.value_or(parts);
    return parts;
  }

  [[nodiscard]] bool EndedAfter(std::size_t n) const {
    bool complete = false;
    for (std::size_t i = 0; i < n; ++i) {
      if (transactions_[i].grown_to) complete = false;
      if (transactions_[i].ended) complete = transactions_[i].ended == model::JobState::kComplete;
    }
    return complete;
  }

  [[nodiscard]] Content ContentAfter(std::size_t n) const {
    std::map<model::TaskIndex, std::string> results;
    Content content;
    for (std::size_t i = 0; i < n; ++i) {
      const Transaction& transaction = transactions_[i];
      for (const auto& result : transaction.results) results[result.range.begin] = Text(result);
      for (const auto& failure : transaction.failures) {
        model::FailureRecord without_record = failure;
        without_record.record.clear();
        content.failures.push_back(Text(without_record));
        if (failure.final) content.final_failures.push_back(Text(failure));
      }
      for (const auto& event : transaction.events) content.events.push_back(Text(event));
    }
    for (auto& [begin, text] : results) content.results.push_back(std::move(text));
    return content;
  }

  std::vector<Transaction> transactions_;
  std::size_t acknowledged_ = 0;
};

/// Draws records that were not drawn before.
class RecordSource {
 public:
  RecordSource(Rng& rng, bool large) : rng_(rng), large_(large) {}

  /// Results of the tasks of the first `parts` parts.
  std::vector<model::ResultRecord> Results(std::int64_t parts) {
    std::vector<model::ResultRecord> results(1 + rng_.Below(4));
    for (auto& result : results) result = NextResult(parts);
    return results;
  }

  std::vector<model::FailureRecord> Failures() {
    std::vector<model::FailureRecord> failures(rng_.Chance(0.3) ? 1 + rng_.Below(2) : 0);
    for (auto& failure : failures) {
      failure.index = rng_.Between(0, kTasksPerPart - 1);
      failure.node = NextNode();
      failure.reason = "failure " + std::to_string(++failures_);
      failure.attempt = static_cast<std::int32_t>(rng_.Between(1, 3));
      failure.final = rng_.Chance(0.5);
      if (rng_.Chance(0.5)) failure.exit_code = 3;
      if (failure.final) failure.record = Bytes(rng_.Below(200));
    }
    return failures;
  }

  std::vector<model::TimelineEvent> Events() {
    std::vector<model::TimelineEvent> events(rng_.Chance(0.3) ? 1 + rng_.Below(3) : 0);
    for (auto& event : events) {
      event.kind = model::TimelineEvent::Kind::kMove;
      event.start = Duration{rng_.Between(0, 1000)};
      event.node = NextNode();
      event.from_node = NextNode();
      event.tasks = rng_.Between(1, 9);
      event.detail = "event " + std::to_string(++events_);
    }
    return events;
  }

 private:
  model::ResultRecord NextResult(std::int64_t parts) {
    const std::int64_t part = rng_.Between(0, parts - 1);
    const std::int64_t count = rng_.Between(1, 3);
    model::ResultRecord result;
    result.range.begin = part * kTasksPerPart + used_[part];
    used_[part] += count;
    result.range.end = part * kTasksPerPart + used_[part];
    result.node = NextNode();
    result.started = Duration{rng_.Between(0, 1000)};
    result.ended = result.started + Duration{rng_.Between(1, 1000)};
    result.busy = Duration{rng_.Between(1, 1000)};
    result.kind = static_cast<model::RunKind>(rng_.Below(3));
    const std::uint64_t bound = large_ ? 150'000 : 600;
    const std::uint64_t size = rng_.Below(bound);
    for (std::int64_t n = 0; n < count; ++n) {
      result.results.Append(Bytes(rng_.Chance(0.5) ? size : rng_.Below(bound)));
    }
    return result;
  }

  std::string NextNode() { return "node-" + std::to_string(rng_.Below(++nodes_ / 8 + 1)); }

  std::string Bytes(std::size_t size) {
    std::string bytes(size, '\0');
    std::uint64_t random = rng_.Next();
    for (char& byte : bytes)
      byte = static_cast<char>((random = random * 6364136223846793005 + 1) >> 56);
    return bytes;
  }

  Rng& rng_;
  const bool large_;
  std::map<std::int64_t, std::int64_t> used_;  // tasks of each part
  std::uint64_t failures_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t nodes_ = 0;
};

/// Passes transactions on to a journal one at a time, when the test permits it, and enters them
/// into the ledger. The groups of batches then depend on the seed alone, not on the writer's
/// thread.
class GatedJournal final : public Journal {
 public:
  GatedJournal(Journal& journal, Ledger& ledger) : journal_(journal), ledger_(ledger) {}

  /// Waits until the writer calls Append.
  void AwaitTransaction() {
    std::unique_lock lock(mutex_);
    Wait(lock, [this] { return arrived_; });
  }
  /// Permits this call and waits until it has succeeded or failed.
  void Pass() {
    std::unique_lock lock(mutex_);
    arrived_ = false;
    open_ = true;
    changed_.notify_all();
    Wait(lock, [this] { return !open_; });
  }
  /// Permits all further calls.
  void PassAll() {
    const std::lock_guard lock(mutex_);
    always_open_ = true;
    changed_.notify_all();
  }

  Result<void> Append(const JournalRecords& records) override {
    std::unique_lock lock(mutex_);
    arrived_ = true;
    changed_.notify_all();
    Wait(lock, [this] { return open_ || always_open_; });
    ledger_.Submit(
        {.results = records.results, .failures = records.failures, .events = records.events});
    Result<void> appended = journal_.Append(records);
    if (appended) ledger_.Acknowledge();
    open_ = false;
    changed_.notify_all();
    return appended;
  }

  [[nodiscard]] const JournalState& State() const override { return journal_.State(); }
  Result<void> Grow(const JobIdentity& identity) override { return journal_.Grow(identity); }
  Result<void> ForEachResult(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const override {
    return journal_.ForEachResult(visit);
  }
  Result<void> ForEachRange(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const override {
    return journal_.ForEachRange(visit);
  }
  Result<void> ForEachFinalFailure(
      const std::function<Result<void>(const model::FailureRecord&)>& visit) const override {
    return journal_.ForEachFinalFailure(visit);
  }
  Result<void> ForEachEvent(
      const std::function<Result<void>(const model::TimelineEvent&)>& visit) const override {
    return journal_.ForEachEvent(visit);
  }
  [[nodiscard]] Result<std::string> Copy(std::int64_t max_bytes) const override {
    return journal_.Copy(max_bytes);
  }
  Result<void> MarkEnded(model::JobState state) override { return journal_.MarkEnded(state); }
  [[nodiscard]] Result<ReduceHistory> ReadReduce(const std::string& command) const override {
    return journal_.ReadReduce(command);
  }
  Result<void> BeginReduce(const std::string& command) override {
    return journal_.BeginReduce(command);
  }
  Result<void> EndReduce(const std::optional<model::ReduceRecord>& record) override {
    return journal_.EndReduce(record);
  }
  Result<void> ForgetFailedReduce() override { return journal_.ForgetFailedReduce(); }

 private:
  template <typename Condition>
  void Wait(std::unique_lock<std::mutex>& lock, Condition condition) {
    EVENKEEL_CHECK(changed_.wait_for(lock, std::chrono::seconds(60), condition),
                   "the writer is stuck");
  }

  Journal& journal_;
  Ledger& ledger_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool arrived_ = false;
  bool open_ = false;
  bool always_open_ = false;
};

/// Number of power losses in each phase of a run, and of the events that must not be missing.
struct Coverage {
  int creating = 0;
  int recovering = 0;
  int running = 0;
  int closing = 0;
  int idle = 0;
  int groups = 0;  ///< transactions of several batches
  int grown = 0;
};

/// One run from its first start to its last, over several losses of power.
class Run {
 public:
  Run(std::uint64_t seed, PowerLossDisk::Options options, Coverage& coverage)
      : rng_(seed),
        coverage_(coverage),
        root_(MakeRoot()),
        folder_(root_ / "out" / "run"),
        disk_(root_, Drawn(options), rng_.Next()),
        records_(rng_, rng_.Chance(0.08)),
        sizes_(rng_.Chance(0.25) ? ResultSizes::kLarge : ResultSizes::kSmall) {}
  ~Run() { std::filesystem::remove_all(root_); }

  /// Returns a description of the violation; empty if there is none.
  std::string Execute() {
    const std::uint64_t losses = 1 + rng_.Below(4);
    for (std::uint64_t n = 0; n < losses && wrong_.empty(); ++n) {
      disk_.LosePowerAfter(rng_.Between(0, rng_.Chance(0.4) ? 25 : 150));
      WorkUntilPowerFails();
      disk_.LosePower();
      disk_.RestorePower();
    }
    // After the last power loss the run continues: the next start can read the appended records.
    for (int start = 0; start < 2 && wrong_.empty(); ++start) {
      const auto journal = OpenAndCompare();
      if (journal == nullptr) continue;
      for (int n = 0; n < 3; ++n) AppendOne(*journal);
    }
    if (wrong_.empty()) CheckPages();
    return wrong_;
  }

 private:
  static std::filesystem::path MakeRoot() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "evenkeel-power-XXXXXX").string();
    return std::filesystem::canonical(mkdtemp(pattern.data()));
  }

  PowerLossDisk::Options Drawn(PowerLossDisk::Options options) {
    options.sector_bytes = rng_.Chance(0.5) ? 512 : 4096;
    options.powersafe_overwrite = rng_.Chance(0.7);
    options.hard_links = rng_.Chance(0.8);
    return options;
  }

  void Fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  /// Null if the power has failed or something is wrong.
  std::unique_ptr<Journal> OpenAndCompare() {
    if (ledger_.AcknowledgedParts() > 1 && rng_.Chance(0.3)) {
      const auto refused = Journal::Open(folder_, JobOf(ledger_.AcknowledgedParts() - 1));
      ++starts_;
      if (refused) {
        Fail("an acknowledged growth is lost");
      } else if (disk_.HasPower() && refused.error().code != ErrorCode::kConflict) {
        Fail("opening: " + refused.error().message);
      }
      if (!disk_.HasPower() || !wrong_.empty()) return nullptr;
    }
    ++starts_;
    auto journal = Journal::Open(folder_, JobOf(ledger_.Parts()), CompleteJob::kGoesOn, sizes_);
    if (!journal) {
      if (disk_.HasPower()) Fail("opening: " + journal.error().message);
      return nullptr;
    }
    Compare(**journal);
    return wrong_.empty() ? std::move(*journal) : nullptr;
  }

  void Compare(const Journal& journal) {
    const JournalState& state = journal.State();
    if (state.epoch <= epoch_ || state.epoch > starts_) {
      Fail("epoch " + std::to_string(state.epoch) + " after " + std::to_string(epoch_));
    }
    epoch_ = state.epoch;
    Content content;
    std::int64_t tasks = 0;
    const auto read =
        journal
            .ForEachResult([&](const model::ResultRecord& result) -> Result<void> {
              content.results.push_back(Text(result));
              tasks += result.range.Size();
              return {};
            })
            .and_then([&] {
              return journal.ForEachFinalFailure(
                  [&](const model::FailureRecord& failure) -> Result<void> {
                    content.final_failures.push_back(Text(failure));
                    return {};
                  });
            })
            .and_then([&] {
              return journal.ForEachEvent([&](const model::TimelineEvent& event) -> Result<void> {
                content.events.push_back(Text(event));
                return {};
              });
            });
    if (!read) return Fail("reading: " + read.error().message);
    for (const auto& failure : state.failures) content.failures.push_back(Text(failure));
    if (state.completed.Size() != tasks) Fail("the state differs from the results");
    if (const std::string wrong = ledger_.Compare(state, content); !wrong.empty()) Fail(wrong);
  }

  void WorkUntilPowerFails() {
    const bool is_new = epoch_ == 0;
    auto journal = OpenAndCompare();
    if (journal == nullptr) {
      ++(is_new ? coverage_.creating : coverage_.recovering);
      return;
    }
    const std::uint64_t steps = 1 + rng_.Below(12);
    if (rng_.Chance(0.4)) {
      AppendInGroups(*journal, steps);
    } else {
      for (std::uint64_t n = 0; n < steps && disk_.HasPower(); ++n) TakeStep(*journal);
    }
    if (!disk_.HasPower()) {
      ++coverage_.running;
      return;
    }
    if (rng_.Chance(0.5)) disk_.LosePower();
    const bool had_power = disk_.HasPower();
    journal.reset();
    ++(had_power && !disk_.HasPower() ? coverage_.closing : coverage_.idle);
  }

  void TakeStep(Journal& journal) {
    const std::uint64_t kind = rng_.Below(10);
    if (kind == 0) {
      Grow(journal);
    } else if (kind == 1) {
      const auto state =
          rng_.Chance(0.5) ? model::JobState::kComplete : model::JobState::kInterrupted;
      ledger_.Submit({.ended = state});
      if (journal.MarkEnded(state)) ledger_.Acknowledge();
    } else {
      AppendOne(journal);
    }
  }

  void Grow(Journal& journal) {
    const std::int64_t parts = ledger_.Parts() + 1;
    ledger_.Submit({.grown_to = parts});
    if (!journal.Grow(JobOf(parts))) return;
    ledger_.Acknowledge();
    ++coverage_.grown;
  }

  void AppendOne(Journal& journal) {
    Transaction transaction{.results = records_.Results(ledger_.AcknowledgedParts()),
                            .failures = records_.Failures(),
                            .events = records_.Events()};
    ledger_.Submit(transaction);
    const auto appended =
        journal.Append({transaction.results, transaction.failures, transaction.events});
    if (appended) ledger_.Acknowledge();
    if (!appended && disk_.HasPower()) Fail("appending: " + appended.error().message);
  }

  /// Through a JournalWriter: batches that come while one is written form one transaction.
  void AppendInGroups(Journal& journal, std::uint64_t steps) {
    GatedJournal gate(journal, ledger_);
    std::map<engine::BatchId, model::TaskIndex> first_task;
    LoopInbox inbox;
    {
      JournalWriter writer(gate, inbox);
      std::uint64_t id = 0;
      const auto add = [&] {
        writer.Append(records_.Events());
        engine::Persist batch;
        batch.batch = engine::BatchId{++id};
        batch.results = records_.Results(ledger_.AcknowledgedParts());
        batch.failures = records_.Failures();
        first_task[batch.batch] = batch.results.front().range.begin;
        writer.Append(std::move(batch));
      };
      add();
      for (std::uint64_t n = 0; n < steps && disk_.HasPower(); ++n) {
        gate.AwaitTransaction();
        const std::uint64_t batches = 1 + rng_.Below(4);
        for (std::uint64_t b = 0; b < batches; ++b) add();
        if (batches > 1) ++coverage_.groups;
        if (rng_.Chance(0.1)) Grow(journal);
        gate.Pass();
      }
      gate.PassAll();
    }
    engine::BatchId durable{};  // the last one that was reported
    while (const auto event = inbox.Take()) {
      const auto* const committed = std::get_if<BatchCommitted>(&*event);
      if (committed != nullptr) durable = committed->batch;
    }
    for (const auto& [id, task] : first_task) {
      const bool reported = id <= durable;
      if (reported && !ledger_.IsAcknowledged(task))
        Fail("a batch was reported before it was durable");
    }
  }

  /// Whether SQLite finds every page of the file as it should be.
  void CheckPages() {
    sqlite3* connection = nullptr;
    sqlite3_open((folder_ / "journal.db").c_str(), &connection);
    sqlite3_exec(connection, "PRAGMA locking_mode = EXCLUSIVE", nullptr, nullptr, nullptr);
    sqlite3_stmt* check = nullptr;
    sqlite3_prepare_v2(connection, "PRAGMA integrity_check(1)", -1, &check, nullptr);
    const bool has_row = sqlite3_step(check) == SQLITE_ROW;
    const char* const text =
        has_row ? reinterpret_cast<const char*>(sqlite3_column_text(check, 0)) : "cannot be read";
    if (std::string(text) != "ok") Fail(std::string("journal.db: ") + text);
    sqlite3_finalize(check);
    sqlite3_close(connection);
  }

  Rng rng_;
  Coverage& coverage_;
  const std::filesystem::path root_;
  const std::filesystem::path folder_;
  PowerLossDisk disk_;
  RecordSource records_;
  const ResultSizes sizes_;
  Ledger ledger_;
  std::uint64_t starts_ = 0;
  std::uint64_t epoch_ = 0;
  std::string wrong_;
};

std::string ExecuteRun(std::uint64_t seed, const PowerLossDisk::Options& options,
                       Coverage& coverage) {
  return Run(seed, options, coverage).Execute();
}

void ExpectNothingIsLost(std::uint64_t first_seed, std::uint64_t seeds, Coverage& coverage) {
  for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
    const std::string wrong = ExecuteRun(seed, {}, coverage);
    ASSERT_EQ(wrong, "") << "replay with EVENKEEL_SEED=" << seed;
  }
}

/// Returns what the first seed that fails finds on a faulty disk.
std::string FirstFinding(const PowerLossDisk::Options& options, std::uint64_t seeds) {
  Coverage coverage;
  std::string wrong;
  for (std::uint64_t seed = 1; seed <= seeds && wrong.empty(); ++seed) {
    wrong = ExecuteRun(seed, options, coverage);
  }
  return wrong;
}

TEST(JournalPowerLoss, EveryAcknowledgedTransactionSurvives) {
  if (std::getenv("EVENKEEL_SEED") != nullptr) GTEST_SKIP() << "one seed is replayed";
  Coverage coverage;
  ExpectNothingIsLost(1, kSeeds, coverage);
  EXPECT_GT(coverage.creating, 20);
  EXPECT_GT(coverage.recovering, 20);
  EXPECT_GT(coverage.running, 100);
  EXPECT_GT(coverage.closing, 20);
  EXPECT_GT(coverage.idle, 100);
  EXPECT_GT(coverage.groups, 100);
  EXPECT_GT(coverage.grown, 100);
}

// The power fails while a transaction is padded to a whole sector, then again during the first
// write of the next start: into the sector of that transaction, which this start has read.
TEST(JournalPowerLoss, WhatAStartHasReadSurvivesItsFirstWrite) {
  Coverage coverage;
  ExpectNothingIsLost(1'001'212, 1, coverage);
}

TEST(JournalPowerLoss, ReplaysOneSeed) {
  Coverage coverage;
  ExpectNothingIsLost(FromEnvironment("EVENKEEL_SEED", 1), 1, coverage);
}

// Proves that the runs above can fail.
TEST(JournalPowerLoss, ADiskThatIgnoresSyncsOfFilesIsDetected) {
  EXPECT_NE(FirstFinding({.ignores_file_sync = true}, 50), "");
}

TEST(JournalPowerLoss, ADiskThatIgnoresSyncsOfFoldersIsDetected) {
  EXPECT_NE(FirstFinding({.ignores_folder_sync = true}, 50), "");
}

TEST(JournalPowerLossSoak, EveryAcknowledgedTransactionSurvives) {
  Coverage coverage;
  ExpectNothingIsLost(1'000'000, FromEnvironment("EVENKEEL_SEEDS", 20'000), coverage);
}

}  // namespace
}  // namespace evenkeel::coordinator
