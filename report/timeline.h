#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/error.h"
#include "core/model/run_record.h"
#include "report/atomic_file.h"

/// timeline.jsonl: one JSON object a line, in any order, seconds with microsecond digits.
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

/// One line, line break included. The results themselves are not part of it.
[[nodiscard]] std::string TimelineLine(const model::ResultRecord& record);
[[nodiscard]] std::string TimelineLine(const model::TimelineEvent& event);

/// Writes a timeline.jsonl without holding it in memory. The file appears at Commit() and not
/// before. Used by one thread.
class TimelineWriter {
 public:
  [[nodiscard]] static Result<TimelineWriter> Create(std::filesystem::path path);

  /// kStorageFull when there is no room.
  Result<void> Write(const model::ResultRecord& record);
  Result<void> Write(const model::TimelineEvent& event);
  Result<void> Commit();

 private:
  explicit TimelineWriter(AtomicFile file);
  AtomicFile file_;
};

/// What a line can be. Records come without results.
using TimelineEntry = std::variant<model::ResultRecord, model::TimelineEvent>;

/// kInvalidInput, naming the field, if the line is not one of those above. Unknown fields are
/// ignored.
[[nodiscard]] Result<TimelineEntry> ParseTimelineLine(std::string_view line);

/// Visits the lines in the order of the file, holding one at a time; empty lines are skipped.
/// kUnavailable if there is no such file; kInvalidInput, beginning with path and line number, at
/// the first bad line.
Result<void> ReadTimeline(const std::filesystem::path& path,
                          const std::function<void(const TimelineEntry&)>& visit);

}  // namespace evenkeel::report
