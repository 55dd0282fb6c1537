#include <cstdint>

#include "core/base/check.h"
#include "report/summary_json.h"
#include "report/timeline.h"

/// summary.json and a line of timeline.jsonl, as the CLI reads them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto summary = evenkeel::report::SummaryFromJson(text)) {
    const auto again = evenkeel::report::SummaryToJson(*summary);
    EVENKEEL_CHECK(again.has_value(), "a summary that was read can be written");
  }
  (void)evenkeel::report::ParseTimelineLine(text);
  return 0;
}
