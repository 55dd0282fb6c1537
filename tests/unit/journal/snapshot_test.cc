#include "coordinator/snapshot.h"

#include "tests/unit/journal/journal_fixture.h"

namespace evenkeel::coordinator {
namespace {

class SnapshotTest : public JournalTest {
 protected:
  SnapshotTest() : target_(folder_ / "target"), file_(folder_ / "journal.db.z") {}

  void Keep(const std::string& bytes) const { std::ofstream(file_, std::ios::binary) << bytes; }
  std::string PackOrFail(const JobIdentity& identity = PrimesJob()) {
    const auto journal = MustOpen(identity);
    EXPECT_TRUE(journal->Append({{OneTask(1), OneTask(2)}, {}, {}}));
    const auto snapshot = MakeSnapshot(*journal);
    EXPECT_TRUE(snapshot) << snapshot.error().message;
    return *snapshot;
  }
  void ExpectUnusable(const std::string& want) const {
    const auto seeded = SeedFolder(file_, target_, PrimesJob());
    ASSERT_FALSE(seeded);
    EXPECT_EQ(seeded.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(seeded.error().message.rfind(file_.string(), 0), 0U) << seeded.error().message;
    EXPECT_NE(seeded.error().message.find(want), std::string::npos) << seeded.error().message;
    EXPECT_TRUE(!std::filesystem::exists(target_) || std::filesystem::is_empty(target_));
  }

  const std::filesystem::path target_;
  const std::filesystem::path file_;
};

TEST_F(SnapshotTest, SeedsAnEmptyFolderWithAllDurableResults) {
  Keep(PackOrFail());
  ASSERT_TRUE(SeedFolder(file_, target_, PrimesJob()));
  const auto journal = Journal::Open(target_, PrimesJob());
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_EQ((*journal)->State().completed.Size(), 2);
  EXPECT_EQ((*journal)->State().epoch, 2U);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(target_)) {
    files += entry.path().filename().string().rfind("journal.db", 0) == 0 ? 0U : 1U;
  }
  EXPECT_EQ(files, 0U) << "drafts must not stay";
}

TEST_F(SnapshotTest, AFolderWithAJournalKeepsIt) {
  Keep("not even looked at");
  ASSERT_TRUE(Journal::Open(target_, PrimesJob()));
  EXPECT_TRUE(SeedFolder(file_, target_, PrimesJob()));
  EXPECT_TRUE(SeedFolder(folder_ / "missing", target_, PrimesJob()));
}

TEST_F(SnapshotTest, ADamagedSnapshotIsRefused) {
  ExpectUnusable("no such file");
  const std::string good = PackOrFail();
  Keep("");
  ExpectUnusable("it is empty");
  Keep("something else");
  ExpectUnusable("it is damaged");
  Keep(good.substr(0, good.size() / 2));
  ExpectUnusable("it is damaged");
  Keep(good + "more");
  ExpectUnusable("it is damaged");
  std::string flipped = good;
  flipped[flipped.size() / 2] = static_cast<char>(~flipped[flipped.size() / 2]);
  Keep(flipped);
  ExpectUnusable("it is damaged");
  Keep(std::string(kMaxSnapshotBytes + 1, 'x'));
  ExpectUnusable("must have at most");
}

TEST_F(SnapshotTest, ASnapshotOfAnotherJobIsRefused) {
  JobIdentity other = PrimesJob();
  other.job = "sums";
  Keep(PackOrFail(other));
  ExpectUnusable("belongs to job \"sums\"");
}

TEST_F(SnapshotTest, ATooLargeSnapshotIsRefusedWithItsSize) {
  const auto journal = MustOpen();
  model::ResultRecord large = OneTask(1);
  std::string noise(700'000, '\0');
  std::uint32_t state = 1;
  for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  large.results = model::PackedResults::OfEqualSize(1, 700'000, noise);
  ASSERT_TRUE(journal->Append({{large}, {}, {}}));
  const auto snapshot = MakeSnapshot(*journal);
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().code, ErrorCode::kStorageFull);
  EXPECT_NE(snapshot.error().message.find("524288"), std::string::npos);
  EXPECT_FALSE(journal->Copy(1000)) << "the bound of a copy holds";
}

}  // namespace
}  // namespace evenkeel::coordinator
