#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/error.h"
#include "core/model/run_record.h"
#include "platform/files.h"

/// timeline.jsonl: one JSON object per line, in any order; times are seconds with six decimals.
///
///   {"worker":w,"start":s,"end":s,"range":[begin,end],"kind":"planned|stolen|copy","busy":s}
///   {"kind":"stage","start":s,"end":s,"detail":"2"}
///   {"kind":"master","worker":w,"start":s,"end":s}
///   {"kind":"move","worker":to,"from":w,"start":s,"tasks":n,"detail":"reserved|leased"}
///   {"kind":"eta","start":s,"end":s,"sigma":s}
///   {"kind":"lost","worker":w,"start":s}
///   {"kind":"joined","worker":w,"start":s}
namespace evenkeel::report {

/// "planned", "stolen" or "copy".
[[nodiscard]] std::string_view KindName(model::RunKind kind);

/// One line with its line break, without the results of the tasks.
[[nodiscard]] std::string TimelineLine(const model::ResultRecord& record);
[[nodiscard]] std::string TimelineLine(const model::TimelineEvent& event);

/// Writes a timeline.jsonl line by line. The file appears at Commit(). Not thread-safe.
class TimelineWriter {
 public:
  [[nodiscard]] static Result<TimelineWriter> Create(std::filesystem::path path);

  /// kStorageFull if the disk is full.
  Result<void> Write(const model::ResultRecord& record);
  Result<void> Write(const model::TimelineEvent& event);
  Result<void> Commit();

 private:
  explicit TimelineWriter(platform::AtomicFile file);
  platform::AtomicFile file_;
};

/// One line. Records have no results.
using TimelineEntry = std::variant<model::ResultRecord, model::TimelineEvent>;

/// Parses a line. kInvalidInput, with the field, if it has none of the forms above. Unknown fields
/// are ignored.
[[nodiscard]] Result<TimelineEntry> ParseTimelineLine(std::string_view line);

/// Visits the lines in the order of the file, one at a time; skips empty lines.
/// kUnavailable if there is no such file; kInvalidInput, starting with path and line number, at
/// the first invalid line.
Result<void> ReadTimeline(const std::filesystem::path& path,
                          const std::function<void(const TimelineEntry&)>& visit);

}  // namespace evenkeel::report
