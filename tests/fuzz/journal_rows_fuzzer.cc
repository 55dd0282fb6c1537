#include <fuzzer/FuzzedDataProvider.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>

#include "coordinator/journal.h"
#include "coordinator/sqlite_database.h"
#include "core/base/check.h"
#include "core/engine/coordinator.h"
#include "tests/fuzz/scratch_folder.h"

namespace evenkeel::coordinator {
namespace {

constexpr std::int64_t kTasks = 1000;

JobIdentity Job() { return {"primes", "primes", 1, R"({"end":1000})", kTasks}; }

/// Writes rows with any values into the tables of an empty journal.
class RowDrawer {
 public:
  RowDrawer(const Database& database, FuzzedDataProvider& input)
      : database_(database), input_(input) {}

  void Draw() {
    Must(
        database_.Execute("PRAGMA synchronous = OFF; BEGIN;"
                          "INSERT INTO nodes VALUES(1, 'a'), (2, 'b')"));
    for (int n = 0; n < 40 && input_.remaining_bytes() > 0; ++n) {
      switch (input_.ConsumeIntegralInRange(0, 3)) {
        case 0:
          Insert("INSERT OR IGNORE INTO events VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?)", "ktttnnit");
          break;
        case 1:
          Insert("INSERT OR IGNORE INTO failures VALUES(NULL, ?, ?, ?, ?, ?, ?, ?)", "insikis");
          break;
        default:
          Insert("INSERT OR IGNORE INTO results VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                 "iintttkibs");
      }
    }
    Must(database_.Execute("COMMIT"));
  }

 private:
  static void Must(const Result<void>& done) {
    EVENKEEL_CHECK(done.has_value(), "an empty journal can be written");
  }

  /// `kinds`: one letter for each parameter: index, time, kind, node, string, blob or null.
  void Insert(const char* sql, std::string_view kinds) {
    auto row = database_.Prepare(sql);
    EVENKEEL_CHECK(row.has_value(), "the tables are those of a journal");
    std::string texts[16];
    int parameter = 0;
    for (const char kind : kinds) {
      ++parameter;
      std::string& text = texts[parameter];
      if (kind == 's' || kind == 'b') text = input_.ConsumeRandomLengthString(24);
      if (input_.ConsumeIntegralInRange(0, 31) == 0) {
        row->Bind(parameter, input_.ConsumeIntegral<std::int64_t>());
      } else if (kind == 's') {
        row->BindBlob(parameter, text);
      } else if (kind == 'b') {
        input_.ConsumeBool() ? row->BindNull(parameter) : row->BindBlob(parameter, text);
      } else {
        row->Bind(parameter, DrawNumber(kind));
      }
    }
    (void)row->Run();
  }

  std::int64_t DrawNumber(char kind) {
    if (kind == 'k') return input_.ConsumeIntegralInRange<std::int64_t>(0, 6);
    if (kind == 'n') return input_.ConsumeIntegralInRange<std::int64_t>(1, 3);
    if (kind == 'i') return input_.ConsumeIntegralInRange<std::int64_t>(0, kTasks + 1);
    return input_.PickValueInArray<std::int64_t>(
        {0, 1, 1'000'000, 5'000'000'000, -1, std::numeric_limits<std::int64_t>::max()});
  }

  const Database& database_;
  FuzzedDataProvider& input_;
};

void StartFrom(const Journal& journal) {
  const JournalState& state = journal.State();
  engine::CoordinatorConfig config;
  config.job.workload = "primes";
  config.costs = std::make_shared<model::UnitCosts>(kTasks);
  config.nodes.push_back({"a", 1.0});
  config.epoch = state.epoch;
  config.completed = state.completed;
  config.failures = state.failures;
  config.active_before = state.active;
  engine::Coordinator coordinator(std::move(config));
  const Instant now{std::chrono::seconds(100)};
  (void)coordinator.Start(now);
  (void)coordinator.OnTimer(now + std::chrono::seconds(1));
  (void)coordinator.CurrentProgress(now + std::chrono::seconds(1));
  coordinator.CheckInvariants();
}

void ReadJournal(const std::filesystem::path& folder) {
  const auto journal = Journal::Open(folder, Job());
  if (!journal) return;
  const auto accept = [](const auto&) -> Result<void> { return {}; };
  (void)(*journal)->ForEachResult(accept);
  (void)(*journal)->ForEachRange(accept);
  (void)(*journal)->ForEachFinalFailure(accept);
  (void)(*journal)->ForEachEvent(accept);
  StartFrom(**journal);
}

std::string EmptyJournal() {
  const fuzz::ScratchFolder folder;
  EVENKEEL_CHECK(Journal::Open(folder.Path(), Job()).has_value(), "a journal can be created");
  std::ifstream in(folder.Path() / "journal.db", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace
}  // namespace evenkeel::coordinator

/// A journal whose file is intact and whose rows may say anything; a coordinator starts from it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evenkeel::coordinator;
  static const evenkeel::fuzz::ScratchFolder folder;
  static const std::string empty = EmptyJournal();
  folder.Clear();
  const auto file = folder.Write("journal.db", empty);
  {
    const auto database = Database::Open(file);
    EVENKEEL_CHECK(database.has_value(), "an empty journal can be opened");
    (*database)->CheckpointOnClose();
    FuzzedDataProvider input(data, size);
    RowDrawer(**database, input).Draw();
  }
  ReadJournal(folder.Path());
  return 0;
}
