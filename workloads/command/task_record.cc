#include "workloads/command/task_record.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/printable.h"
#include "workloads/little_endian.h"

namespace evenkeel::workloads::command {
namespace {

using launcher::Ended;
using launcher::Ending;

constexpr std::size_t kMaxQuotedBytes = 160;
// Attempts and number of tasks but one, 4 bytes each; size of the node's name, 8 bytes.
constexpr std::size_t kHeadBytes = 16;
constexpr int kTasksShift = 32;

/// The last line that is not blank, with unprintable characters replaced.
std::string LastLine(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const std::size_t before = text.find_last_of('\n', end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return PrintableAscii(std::string_view(text).substr(begin, end + 1 - begin), kMaxQuotedBytes);
}

std::string ErrorText(std::int32_t error) { return std::generic_category().message(error); }

}  // namespace

void AppendRecord(const TaskRecord& record, std::string& bytes) {
  const auto others = static_cast<std::uint64_t>(record.tasks - 1);
  AppendLittleEndian(others << kTasksShift | static_cast<std::uint32_t>(record.attempts), bytes);
  AppendLittleEndian(record.node.size(), bytes);
  bytes += record.node;
  launcher::AppendFrame(record.ended, bytes);
}

std::optional<TaskRecord> ReadRecord(std::string_view bytes) {
  if (bytes.size() < kHeadBytes) return std::nullopt;
  TaskRecord record;
  const std::uint64_t head = ReadLittleEndian(bytes, 0);
  record.attempts = static_cast<std::int32_t>(head & 0xffffffffU);
  record.tasks = static_cast<std::int64_t>(head >> kTasksShift) + 1;
  const std::uint64_t node_bytes = ReadLittleEndian(bytes, kHeadBytes / 2);
  bytes.remove_prefix(kHeadBytes);
  if (record.attempts < 1 || node_bytes > bytes.size()) return std::nullopt;
  record.node = bytes.substr(0, static_cast<std::size_t>(node_bytes));
  launcher::FrameReader frame;
  frame.Append(bytes.substr(static_cast<std::size_t>(node_bytes)));
  auto message = frame.Next();
  auto* const ended = message ? std::get_if<Ended>(&*message) : nullptr;
  if (ended == nullptr) return std::nullopt;
  record.ended = std::move(*ended);
  return record;
}

std::string RepeatablePartOf(std::string_view bytes) {
  const auto record = ReadRecord(bytes);
  if (!record) return "not a record:" + std::string(bytes);
  Ended part;
  part.ending = record->ended.ending;
  part.value = record->ended.value;
  part.output_cut = record->ended.output_cut;
  part.output = record->ended.output;
  std::string packed;
  launcher::AppendFrame(part, packed);
  return packed;
}

double SecondsOf(const Ended& ended) {
  constexpr double kPerMicrosecond = 1e3;
  constexpr double kMicroseconds = 1e6;
  return std::round(static_cast<double>(ended.wall_nanoseconds) / kPerMicrosecond) / kMicroseconds;
}

std::string EndingText(const Ended& ended) {
  switch (ended.ending) {
    case Ending::kExited:
      return "exit code " + std::to_string(ended.value);
    case Ending::kSignalled:
      return "ended by signal " + std::to_string(ended.value);
    case Ending::kNoProgram:
      return "cannot be started: " + ErrorText(ended.value);
    case Ending::kNoFolder:
      return "cannot be started in its working directory: " + ErrorText(ended.value);
    case Ending::kNoProcess:
      break;
  }
  return "cannot be started, the system has no more room: " + ErrorText(ended.value);
}

std::string ReasonOf(const Ended& ended) {
  const std::string reason = EndingText(ended);
  const std::string last_line = LastLine(ended.error);
  return last_line.empty() ? reason : reason + ": " + last_line;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned char kContinues = 0x80;  // the first two bits of all but the first byte
constexpr unsigned char kTopBits = 0xC0;

/// Drops a UTF-8 character at the end of `text` that the limit has cut in two.
std::string_view WithoutCutCharacter(std::string_view text, bool cut) {
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

void AddRecord(const TaskRecord& record, Json& line) {
  const launcher::Ended& ended = record.ended;
  line["node"] = record.node;
  line["seconds"] = SecondsOf(ended);
  line["attempts"] = record.attempts;
  line["stdout"] = WithoutCutCharacter(ended.output, ended.output_cut);
  line["stderr"] = WithoutCutCharacter(ended.error, ended.error_cut);
  if (ended.output_cut) line["stdoutCut"] = true;
  if (ended.error_cut) line["stderrCut"] = true;
}

}  // namespace

void AppendRow(const ResultRow& row, std::string& text) {
  Json line;
  if (row.last) {
    line["first"] = row.index;
    line["last"] = *row.last;
  } else {
    line["index"] = row.index;
  }
  line["status"] = row.failure ? "failed" : "succeeded";
  if (row.record) {
    line["exitCode"] = ExitCodeOf(row.record->ended);
    if (row.record->ended.ending == launcher::Ending::kSignalled) {
      line["signal"] = row.record->ended.value;
    }
  }
  if (row.failure) line["reason"] = *row.failure;
  if (row.argument) line["argument"] = *row.argument;
  if (row.record) AddRecord(*row.record, line);
  text += line.dump(-1, ' ', false, Json::error_handler_t::replace);
  text += '\n';
}

}  // namespace evenkeel::workloads::command
