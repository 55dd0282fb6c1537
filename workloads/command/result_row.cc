#include "workloads/command/result_row.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace evenkeel::workloads::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned char kContinues = 0x80;  // the first two bits of all but the first byte
constexpr unsigned char kTopBits = 0xC0;

/// Output that was cut may end in the midst of a character, which was never wrong: without it.
std::string_view WholeCharacters(std::string_view text, bool cut) {
  if (!cut) return text;
  std::size_t begin = text.size();  // of the last character
  while (begin > 0 && text.size() - begin < 4) {
    const auto byte = static_cast<unsigned char>(text[--begin]);
    if ((byte & kTopBits) == kContinues) continue;
    const std::size_t needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return text.size() - begin < needed ? text.substr(0, begin) : text;
  }
  return text;
}

double Seconds(std::uint64_t nanoseconds) {
  constexpr double kPerMicrosecond = 1e3;
  constexpr double kMicroseconds = 1e6;
  return std::round(static_cast<double>(nanoseconds) / kPerMicrosecond) / kMicroseconds;
}

void AddRun(const TaskRecord& record, Json& line) {
  const launcher::Ended& ended = record.ended;
  line["node"] = record.node;
  line["seconds"] = Seconds(ended.wall_nanoseconds);
  line["attempts"] = record.attempts;
  line["stdout"] = WholeCharacters(ended.output, ended.output_cut);
  line["stderr"] = WholeCharacters(ended.error, ended.error_cut);
  if (ended.output_cut) line["stdoutCut"] = true;
  if (ended.error_cut) line["stderrCut"] = true;
}

}  // namespace

void AppendRow(const ResultRow& row, std::string& text) {
  Json line;
  line["index"] = row.index;
  line["status"] = row.failure ? "failed" : "succeeded";
  if (row.record) {
    line["exitCode"] = ExitCodeOf(row.record->ended);
    if (row.record->ended.ending == launcher::Ending::kSignalled) {
      line["signal"] = row.record->ended.value;
    }
  }
  if (row.failure) line["reason"] = *row.failure;
  if (row.argument) line["argument"] = *row.argument;
  if (row.record) AddRun(*row.record, line);
  text += line.dump(-1, ' ', false, Json::error_handler_t::replace);
  text += '\n';
}

}  // namespace evenkeel::workloads::command
