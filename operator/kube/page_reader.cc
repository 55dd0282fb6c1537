#include "operator/kube/page_reader.h"

#include <utility>

namespace evenkeel::kube {
namespace {

constexpr int kDepthOfMembers = 1;
constexpr int kDepthOfItems = 2;

/// Follows the parser and takes every item of `items` out of its hands.
class ItemTaker {
 public:
  explicit ItemTaker(const ItemVisitor& visit) : visit_(visit) {}

  /// What the parser asks: whether to keep what it has just read.
  bool Keep(int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == kDepthOfMembers) {
      in_items_ = parsed.is_string() && parsed.get_ref<const std::string&>() == "items";
    }
    const bool item_ends = event == Json::parse_event_t::object_end && depth == kDepthOfItems;
    if (!in_items_ || !item_ends) return true;
    Take(parsed);
    return false;
  }

  [[nodiscard]] std::int64_t Count() const { return count_; }
  /// Empty when every item had what it must have.
  [[nodiscard]] const std::string& Problem() const { return problem_; }

 private:
  void Take(const Json& item) {
    // The kind and version of an item stand at the list only; projections do not need them.
    const Result<ObjectMeta> meta = ReadMeta(item);
    if (!meta) {
      problem_ = meta.error().message;
      return;
    }
    ++count_;
    visit_(*meta, item);
  }

  const ItemVisitor& visit_;
  bool in_items_ = false;
  std::int64_t count_ = 0;
  std::string problem_;
};

}  // namespace

Result<PageSummary> ReadPage(const std::string& body, const ItemVisitor& visit) {
  ItemTaker taker(visit);
  const auto keep = [&taker](int depth, Json::parse_event_t event, Json& parsed) {
    return taker.Keep(depth, event, parsed);
  };
  const Json list = Json::parse(body, keep, /*allow_exceptions=*/false);
  if (!list.is_object()) return InvalidInput("the body of a list is no JSON object");
  if (!taker.Problem().empty()) return InvalidInput("a list has " + taker.Problem());

  const Json& metadata = MemberOf(list, "metadata");
  PageSummary page{TextAt(metadata, "resourceVersion"), TextAt(metadata, "continue"),
                   taker.Count()};
  if (page.resource_version.empty()) return InvalidInput("a list without a resourceVersion");
  return page;
}

}  // namespace evenkeel::kube
