#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "launcher/item_lines.h"

namespace evenkeel::launcher {
namespace {

/// Takes the items out of a piece of a stream.
void TakeItems(ItemLineReader& lines, std::string_view piece, std::vector<std::int64_t>& items) {
  while (const auto item = lines.Next(piece)) items.push_back(*item);
  EVENKEEL_CHECK(piece.empty(), "all bytes are taken");
}

bool IsInRange(std::int64_t item) { return item >= 0 && item <= kMaxItem; }

}  // namespace
}  // namespace evenkeel::launcher

/// The progress lines of a command, in pieces. Each input ends with the sizes of the pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evenkeel::launcher;
  FuzzedDataProvider input(data, size);
  std::string stream;
  std::vector<std::int64_t> items;
  ItemLineReader lines(kDone);
  while (input.remaining_bytes() > 0) {
    const auto most = input.ConsumeIntegralInRange<std::size_t>(1, 256);
    const std::string piece = input.ConsumeBytesAsString(most);
    TakeItems(lines, piece, items);
    stream += piece;
  }
  std::vector<std::int64_t> items_of_whole;
  ItemLineReader whole(kDone);
  TakeItems(whole, stream, items_of_whole);
  EVENKEEL_CHECK(items == items_of_whole, "the pieces of a stream do not matter");
  EVENKEEL_CHECK(std::all_of(items.begin(), items.end(), IsInRange), "items are in their range");
  return 0;
}
