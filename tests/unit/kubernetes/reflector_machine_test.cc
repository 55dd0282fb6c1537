#include <gtest/gtest.h>

#include <set>

#include "kubernetes/reflector.h"
#include "tests/unit/kubernetes/reflector_script.h"

namespace evenkeel::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class ReflectorMachineTest : public ::testing::Test {
 protected:
  /// The next request, carried out as early as it may be.
  ReflectorRequest Ask() {
    ReflectorRequest request = machine_.Next();
    now_ = std::max(now_, request.not_before);
    machine_.Started(now_);
    return request;
  }

  /// A watch from version "10" is open.
  void ReachWatch() {
    Ask();
    ASSERT_EQ(machine_.PageRead({"10", "", 1}, now_), PageVerdict::kListComplete);
    ASSERT_TRUE(IsWatchFrom(Ask(), "10"));
  }

  Instant now_{std::chrono::hours(5)};
  ReflectorMachine machine_{NodesInPages(), 1};
};

TEST_F(ReflectorMachineTest, ListsPageByPageThenWatchesFromTheListsVersion) {
  const ReflectorRequest first = Ask();
  EXPECT_EQ(first.target, "/api/v1/nodes?limit=500");
  EXPECT_TRUE(first.begins_list);
  EXPECT_EQ(machine_.PageRead({"10", "a/b", 500}, now_), PageVerdict::kMore);

  const ReflectorRequest second = Ask();
  EXPECT_TRUE(Has(second, "continue=a%2Fb"));
  EXPECT_FALSE(second.begins_list);
  EXPECT_EQ(second.not_before, first.not_before) << "pages follow each other without a pause";
  EXPECT_EQ(machine_.PageRead({"10", "", 7}, now_), PageVerdict::kListComplete);

  const ReflectorRequest watch = Ask();
  EXPECT_TRUE(IsWatchFrom(watch, "10"));
  EXPECT_TRUE(Has(watch, "allowWatchBookmarks=true"));
}

TEST_F(ReflectorMachineTest, SelectorsGoIntoEveryRequest) {
  ReflectorOptions options = NodesInPages();
  options.label_selector = "a=b";
  options.field_selector = "status.phase!=Failed";
  ReflectorMachine machine(options, 1);
  for (int i = 0; i < 2; ++i) {
    const ReflectorRequest request = machine.Next();
    EXPECT_TRUE(Has(request, "labelSelector=a%3Db")) << request.target;
    EXPECT_TRUE(Has(request, "fieldSelector=status.phase%21%3DFailed")) << request.target;
    (void)machine.PageRead({"10", "", 1}, now_);
  }
}

TEST_F(ReflectorMachineTest, WatchesEndAfterFiveToTenMinutesNotAllAtOnce) {
  ReachWatch();
  std::set<std::string> lengths;
  for (int i = 0; i < 50; ++i) {
    const std::string target = machine_.Next().target;
    const std::string name = "timeoutSeconds=";
    const int length = std::stoi(target.substr(target.find(name) + name.size()));
    EXPECT_GE(length, 300);
    EXPECT_LE(length, 600);
    lengths.insert(std::to_string(length));
  }
  EXPECT_GT(lengths.size(), 10u);
}

TEST_F(ReflectorMachineTest, GoesOnFromTheLastEventOrBookmark) {
  ReachWatch();
  EXPECT_EQ(machine_.Saw(ObjectEvent(WatchEventType::kModified, "12")), WatchVerdict::kApply);
  machine_.StreamEnded(now_);
  EXPECT_TRUE(IsWatchFrom(Ask(), "12"));
  EXPECT_EQ(machine_.Saw(ObjectEvent(WatchEventType::kDeleted, "opaque~3")), WatchVerdict::kApply);
  EXPECT_EQ(machine_.Saw(Bookmark("11")), WatchVerdict::kIgnore);
  machine_.StreamEnded(now_);
  EXPECT_TRUE(IsWatchFrom(Ask(), "11")) << "versions are opaque: the last one counts";
}

TEST_F(ReflectorMachineTest, GoneAsStatusMeansANewList) {
  ReachWatch();
  machine_.Failed({410, {}}, now_);
  const ReflectorRequest next = Ask();
  EXPECT_EQ(next.kind, ReflectorRequestKind::kPage);
  EXPECT_TRUE(next.begins_list);
}

TEST_F(ReflectorMachineTest, GoneAsEventMeansANewList) {
  ReachWatch();
  EXPECT_EQ(machine_.Saw(ErrorEvent(true)), WatchVerdict::kStop);
  machine_.StreamEnded(now_);
  EXPECT_TRUE(Ask().begins_list);
}

TEST_F(ReflectorMachineTest, ANewListDoesNotWaitForThePauseThatAnOutageLeft) {
  ReachWatch();
  for (int i = 0; i < 8; ++i) {
    machine_.Failed({}, now_);
    Ask();
  }
  ASSERT_EQ(machine_.Saw(ErrorEvent(true)), WatchVerdict::kStop);
  machine_.StreamEnded(now_);
  EXPECT_LE(machine_.Next().not_before - now_, milliseconds(800));
  // A server that always returns this is not queried in a loop.
  ReachWatch();
  machine_.Failed({410, {}}, now_);
  EXPECT_GE(machine_.Next().not_before - now_, seconds(10));
}

TEST_F(ReflectorMachineTest, OtherErrorEventsKeepTheVersionThreeTimes) {
  ReachWatch();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(machine_.Saw(ErrorEvent(false)), WatchVerdict::kStop);
    machine_.StreamEnded(now_);
    EXPECT_TRUE(IsWatchFrom(Ask(), "10"));
  }
  EXPECT_EQ(machine_.Saw(ErrorEvent(false)), WatchVerdict::kStop);
  machine_.StreamEnded(now_);
  EXPECT_TRUE(Ask().begins_list) << "a server that lost its history never takes this version";
}

TEST_F(ReflectorMachineTest, OutagesKeepTheVersionForEver) {
  ReachWatch();
  for (const int status : {0, 429, 401, 403, 0, 429, 401, 403, 0, 0, 0}) {
    machine_.Failed({status, {}}, now_);
    EXPECT_TRUE(IsWatchFrom(Ask(), "10")) << status;
  }
}

TEST_F(ReflectorMachineTest, ServerErrorsEndInANewListAfterThree) {
  ReachWatch();
  machine_.Failed({500, {}}, now_);
  EXPECT_TRUE(IsWatchFrom(Ask(), "10"));
  machine_.Failed({504, {}}, now_);
  EXPECT_TRUE(IsWatchFrom(Ask(), "10"));
  machine_.Failed({504, {}}, now_);
  EXPECT_TRUE(Ask().begins_list);
}

TEST_F(ReflectorMachineTest, APageThatIsLostIsAskedForAgain) {
  Ask();
  ASSERT_EQ(machine_.PageRead({"10", "next", 500}, now_), PageVerdict::kMore);
  Ask();
  for (const int status : {0, 503, 429}) {
    machine_.Failed({status, {}}, now_);
    EXPECT_TRUE(Has(Ask(), "continue=next")) << status;
  }
}

TEST_F(ReflectorMachineTest, ATokenThatRanOutMeansOneListInOnePiece) {
  Ask();
  ASSERT_EQ(machine_.PageRead({"10", "next", 500}, now_), PageVerdict::kMore);
  Ask();
  machine_.Failed({410, {}}, now_);
  const ReflectorRequest again = Ask();
  EXPECT_EQ(again.target, "/api/v1/nodes");
  EXPECT_TRUE(again.begins_list);
  ASSERT_EQ(machine_.PageRead({"11", "", 700}, now_), PageVerdict::kListComplete);
  machine_.Failed({410, {}}, now_);
  EXPECT_TRUE(Has(Ask(), "limit=500")) << "the next list is paged again";
}

TEST_F(ReflectorMachineTest, PagesShrinkNearTheLimitOfBytesAndGrowAgain) {
  const std::size_t limit = NodesInPages().max_page_bytes;
  EXPECT_TRUE(Has(Ask(), "limit=500"));
  ASSERT_EQ(machine_.PageRead({"10", "a", 500, limit + 1}, now_), PageVerdict::kMore);
  EXPECT_TRUE(Has(Ask(), "limit=250"));
  ASSERT_EQ(machine_.PageRead({"10", "b", 250, limit / 2}, now_), PageVerdict::kMore);
  EXPECT_TRUE(Has(Ask(), "limit=250")) << "twice as many would be too much";
  ASSERT_EQ(machine_.PageRead({"10", "c", 250, limit / 5}, now_), PageVerdict::kMore);
  EXPECT_TRUE(Has(Ask(), "limit=500"));
  ASSERT_EQ(machine_.PageRead({"10", "d", 500, limit / 5}, now_), PageVerdict::kMore);
  EXPECT_TRUE(Has(Ask(), "limit=500")) << "never more than the option says";
}

TEST_F(ReflectorMachineTest, SlowPagesShrinkDownToOneObject) {
  for (const char* const size : {"limit=500", "limit=250", "limit=125", "limit=62", "limit=31",
                                 "limit=15", "limit=7", "limit=3", "limit=1", "limit=1"}) {
    EXPECT_TRUE((Ask().target + "&").find(std::string(size) + "&") != std::string::npos) << size;
    now_ += seconds(16);
    ASSERT_EQ(machine_.PageRead({"10", "next", 1}, now_), PageVerdict::kMore);
  }
}

TEST_F(ReflectorMachineTest, PagesGrowOnlyWhenFullAndFast) {
  Ask();
  machine_.Failed({}, now_);
  Ask();
  ASSERT_EQ(machine_.PageRead({"10", "a", 249}, now_), PageVerdict::kMore);
  EXPECT_TRUE(Has(Ask(), "limit=250"));
  now_ += seconds(5);
  ASSERT_EQ(machine_.PageRead({"10", "b", 250}, now_), PageVerdict::kMore);
  EXPECT_TRUE(Has(Ask(), "limit=250"));
  now_ += seconds(3);
  ASSERT_EQ(machine_.PageRead({"10", "c", 250}, now_), PageVerdict::kMore);
  EXPECT_TRUE(Has(Ask(), "limit=500"));
}

TEST_F(ReflectorMachineTest, APageThatDoesNotArriveIsAskedForInSmallerPieces) {
  Ask();
  ASSERT_EQ(machine_.PageRead({"10", "next", 500}, now_), PageVerdict::kMore);
  Ask();
  machine_.Failed({}, now_);
  const ReflectorRequest smaller = Ask();
  EXPECT_TRUE(Has(smaller, "limit=250"));
  EXPECT_TRUE(Has(smaller, "continue=next"));
  machine_.Failed({504, {}}, now_);
  EXPECT_TRUE(Has(Ask(), "limit=125"));
  machine_.Failed({429, {}}, now_);
  EXPECT_TRUE(Has(Ask(), "limit=125")) << "a server that is busy says nothing about sizes";
}

TEST_F(ReflectorMachineTest, AListInOnePieceThatIsTooLargeIsPagedAgain) {
  Ask();
  ASSERT_EQ(machine_.PageRead({"10", "next", 500}, now_), PageVerdict::kMore);
  Ask();
  machine_.Failed({410, {}}, now_);
  ASSERT_EQ(Ask().target, "/api/v1/nodes");
  machine_.Failed({}, now_);
  EXPECT_TRUE(Has(Ask(), "limit=500"));
}

TEST_F(ReflectorMachineTest, AnEndlessListIsAbandoned) {
  ReflectorOptions options = NodesInPages();
  options.max_items = 1000;
  ReflectorMachine machine(options, 1);
  ASSERT_EQ(machine.PageRead({"10", "a", 600}, now_), PageVerdict::kMore);
  EXPECT_EQ(machine.PageRead({"10", "b", 600}, now_), PageVerdict::kTooMany);
  EXPECT_TRUE(machine.Next().begins_list);
}

TEST_F(ReflectorMachineTest, PausesDoubleFromHalfASecondToHalfAMinute) {
  ReachWatch();
  for (const double longest : {0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0}) {
    const Instant failed = now_;
    machine_.Failed({}, now_);
    Ask();
    EXPECT_GE(ToSeconds(now_ - failed), longest / 2);
    EXPECT_LE(ToSeconds(now_ - failed), longest);
  }
}

TEST_F(ReflectorMachineTest, TwoHealthyMinutesStartThePausesAfresh) {
  ReachWatch();
  for (int i = 0; i < 8; ++i) {
    machine_.Failed({}, now_);
    Ask();
  }
  now_ += minutes(2);
  machine_.StreamEnded(now_);
  EXPECT_LE(machine_.Next().not_before, now_) << "back at once";
  Ask();
  machine_.Failed({}, now_);
  EXPECT_LE(machine_.Next().not_before - now_, milliseconds(800));
}

TEST_F(ReflectorMachineTest, AStreamThatLastedIsBackAtOnce) {
  ReachWatch();
  for (int i = 0; i < 8; ++i) {
    now_ += seconds(31);
    machine_.StreamEnded(now_);
    EXPECT_LE(machine_.Next().not_before, now_);
    Ask();
  }
}

TEST_F(ReflectorMachineTest, WaitsAsLongAsTheServerAsksButNotForEver) {
  ReachWatch();
  machine_.Failed({429, seconds(20)}, now_);
  EXPECT_EQ(machine_.Next().not_before, now_ + seconds(20));
  machine_.Failed({429, minutes(59)}, now_);
  EXPECT_EQ(machine_.Next().not_before, now_ + minutes(2));
}

}  // namespace
}  // namespace evenkeel::kube
