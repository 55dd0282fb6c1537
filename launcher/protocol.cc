#include "launcher/protocol.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace evenkeel::launcher {
namespace {

// A frame: 32 bits with the number of bytes that follow, 8 bits with its kind, the fields in the
// order of the struct. Numbers are little-endian; texts and lists begin with their 32-bit length.
constexpr std::size_t kSizeBytes = 4;
constexpr std::size_t kKindBytes = 1;
constexpr std::uint32_t kMagic = 0x4c4b5645;  // "EVKL", in front of the version

// Exit codes of shells.
constexpr std::int32_t kExitNotFound = 127;
constexpr std::int32_t kExitCannotExecute = 126;
constexpr std::int32_t kSignalBase = 128;

enum class Kind : std::uint8_t {
  kHello = 1,
  kJob = 2,
  kRun = 3,
  kStop = 4,
  kEnded = 5,
  kProgress = 6,
  kLimit = 7,
  kOpenRequest = 8,
  kOpenAnswer = 9,
  kFindRequest = 10,
  kFoundFiles = 11,
  kRemoveRequest = 12,
  kRemoveAnswer = 13
};

template <typename Number>
void Append(Number number, std::string& bytes) {
  for (std::size_t n = 0; n < sizeof number; ++n) {
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(number >> (8 * n))));
  }
}

void Append(const std::string& text, std::string& bytes) {
  Append(static_cast<std::uint32_t>(text.size()), bytes);
  bytes += text;
}

void Append(const Change& change, std::string& bytes) {
  Append(change.position, bytes);
  Append(change.text, bytes);
}

template <typename Item>
void Append(const std::vector<Item>& items, std::string& bytes) {
  Append(static_cast<std::uint32_t>(items.size()), bytes);
  for (const Item& item : items) Append(item, bytes);
}

Kind AppendFields(const Hello& hello, std::string& bytes) {
  Append(kMagic, bytes);
  Append(hello.version, bytes);
  return Kind::kHello;
}

Kind AppendFields(const Job& job, std::string& bytes) {
  Append(job.folder, bytes);
  Append(job.words, bytes);
  Append(job.variables, bytes);
  Append(job.output_limit, bytes);
  Append(job.grace_milliseconds, bytes);
  Append(static_cast<std::uint8_t>(job.follows_progress), bytes);
  return Kind::kJob;
}

Kind AppendFields(const Run& run, std::string& bytes) {
  Append(run.id, bytes);
  Append(run.folder, bytes);
  Append(run.words, bytes);
  Append(run.variables, bytes);
  return Kind::kRun;
}

Kind AppendFields(const Stop& stop, std::string& bytes) {
  Append(stop.id, bytes);
  return Kind::kStop;
}

Kind AppendFields(const Ended& ended, std::string& bytes) {
  Append(ended.id, bytes);
  Append(static_cast<std::uint8_t>(ended.ending), bytes);
  Append(static_cast<std::uint32_t>(ended.value), bytes);
  Append(ended.wall_nanoseconds, bytes);
  Append(ended.cpu_nanoseconds, bytes);
  Append(static_cast<std::uint8_t>(ended.out_of_memory), bytes);
  Append(static_cast<std::uint8_t>(ended.output_cut), bytes);
  Append(static_cast<std::uint8_t>(ended.error_cut), bytes);
  Append(ended.output, bytes);
  Append(ended.error, bytes);
  return Kind::kEnded;
}

Kind AppendFields(const Progress& progress, std::string& bytes) {
  Append(progress.id, bytes);
  Append(static_cast<std::uint64_t>(progress.item), bytes);
  return Kind::kProgress;
}

Kind AppendFields(const Limit& limit, std::string& bytes) {
  Append(limit.id, bytes);
  Append(static_cast<std::uint64_t>(limit.item), bytes);
  return Kind::kLimit;
}

Kind AppendFields(const OpenRequest& request, std::string& bytes) {
  Append(request.folder, bytes);
  Append(request.path, bytes);
  return Kind::kOpenRequest;
}

Kind AppendFields(const OpenAnswer& answer, std::string& bytes) {
  Append(static_cast<std::uint8_t>(answer.status), bytes);
  Append(static_cast<std::uint32_t>(answer.error), bytes);
  return Kind::kOpenAnswer;
}

Kind AppendFields(const FindRequest& request, std::string& bytes) {
  Append(request.folder, bytes);
  Append(request.glob, bytes);
  Append(request.max_files, bytes);
  return Kind::kFindRequest;
}

Kind AppendFields(const FoundFiles& found, std::string& bytes) {
  Append(static_cast<std::uint8_t>(found.status), bytes);
  Append(static_cast<std::uint32_t>(found.error), bytes);
  Append(found.paths, bytes);
  return Kind::kFoundFiles;
}

Kind AppendFields(const RemoveRequest& request, std::string& bytes) {
  Append(request.folder, bytes);
  return Kind::kRemoveRequest;
}

Kind AppendFields(const RemoveAnswer& answer, std::string& bytes) {
  Append(static_cast<std::uint32_t>(answer.error), bytes);
  return Kind::kRemoveAnswer;
}

template <typename Number>
Number NumberAt(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t n = 0; n < sizeof(Number); ++n) {
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + n])) << (8 * n);
  }
  return static_cast<Number>(number);
}

/// The fields of a frame, one after the other. After a mistake everything reads as nothing.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  template <typename Number>
  Number Read() {
    if (rest_.size() < sizeof(Number)) {
      Fail();
      return Number{};
    }
    const auto number = NumberAt<Number>(rest_, 0);
    rest_.remove_prefix(sizeof(Number));
    return number;
  }
  bool ReadFlag() { return Read<std::uint8_t>() != 0; }
  std::int64_t ReadItem() {
    const auto item = static_cast<std::int64_t>(Read<std::uint64_t>());
    Expect(item >= 0 && item <= kMaxItem);
    return item;
  }
  std::string ReadText(std::size_t most) {
    const std::size_t size = ReadCount(most);
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(text.size());
    return text;
  }
  /// A word or variable: it ends at its first zero byte, so it must have none.
  std::string ReadWord() {
    std::string word = ReadText(kMaxTextBytes);
    if (word.find('\0') != std::string::npos) Fail();
    return word;
  }
  std::string ReadPath() {
    std::string path = ReadText(kMaxPathBytes);
    if (path.find('\0') != std::string::npos) Fail();
    return path;
  }
  FileStatus ReadStatus() {
    const auto status = Read<std::uint8_t>();
    Expect(status >= static_cast<std::uint8_t>(FileStatus::kFound) &&
           status <= static_cast<std::uint8_t>(FileStatus::kFifo));
    return static_cast<FileStatus>(status);
  }
  /// A path that stays below the folder to which it is relative.
  std::string ReadInnerPath() {
    std::string path = ReadPath();
    for (std::size_t begin = 0; begin <= path.size();) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      const std::string_view name = std::string_view(path).substr(begin, end - begin);
      Expect(!name.empty() && name != "." && name != "..");
      begin = end + 1;
    }
    return path;
  }
  std::vector<std::string> ReadInnerPaths() {
    std::vector<std::string> paths;
    std::size_t bytes = 0;
    for (std::size_t left = ReadCount(kMaxPaths); left > 0 && good_; --left) {
      bytes += paths.emplace_back(ReadInnerPath()).size();
    }
    Expect(bytes <= kMaxPathsBytes);
    return paths;
  }
  std::vector<std::string> ReadWords(std::size_t most) {
    std::vector<std::string> words;
    for (std::size_t left = ReadCount(most); left > 0 && good_; --left) words.push_back(ReadWord());
    return words;
  }
  std::vector<Change> ReadChanges(std::size_t most) {
    std::vector<Change> changes;
    for (std::size_t left = ReadCount(most); left > 0 && good_; --left) {
      Change& change = changes.emplace_back();
      change.position = Read<std::uint32_t>();
      change.text = ReadWord();
      if (change.position >= most) Fail();
    }
    return changes;
  }
  void Expect(bool fits) {
    if (!fits) Fail();
  }
  /// Whether all fields were good, and nothing is left.
  [[nodiscard]] bool Done() const { return good_ && rest_.empty(); }

 private:
  /// A length, which cannot be more than the bytes that are there.
  std::size_t ReadCount(std::size_t most) {
    const auto count = Read<std::uint32_t>();
    if (count <= most && count <= rest_.size()) return count;
    Fail();
    return 0;
  }
  void Fail() {
    good_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool good_ = true;
};

Hello ReadHello(Fields& fields) {
  fields.Expect(fields.Read<std::uint32_t>() == kMagic);
  return {fields.Read<std::uint32_t>()};
}

Job ReadJob(Fields& fields) {
  Job job;
  job.folder = fields.ReadWord();
  job.words = fields.ReadWords(kMaxWords);
  job.variables = fields.ReadWords(kMaxVariables);
  job.output_limit = fields.Read<std::uint32_t>();
  job.grace_milliseconds = fields.Read<std::uint32_t>();
  job.follows_progress = fields.ReadFlag();
  fields.Expect(!job.words.empty() && job.output_limit <= kMaxOutputBytes);
  return job;
}

Run ReadRun(Fields& fields) {
  Run run;
  run.id = fields.Read<std::uint64_t>();
  run.folder = fields.ReadPath();
  run.words = fields.ReadChanges(kMaxWords);
  run.variables = fields.ReadChanges(kMaxVariables);
  return run;
}

Ended ReadEnded(Fields& fields) {
  Ended ended;
  ended.id = fields.Read<std::uint64_t>();
  const auto ending = fields.Read<std::uint8_t>();
  fields.Expect(ending >= static_cast<std::uint8_t>(Ending::kExited) &&
                ending <= static_cast<std::uint8_t>(Ending::kNoProcess));
  ended.ending = static_cast<Ending>(ending);
  ended.value = static_cast<std::int32_t>(fields.Read<std::uint32_t>());
  ended.wall_nanoseconds = fields.Read<std::uint64_t>();
  ended.cpu_nanoseconds = fields.Read<std::uint64_t>();
  ended.out_of_memory = fields.ReadFlag();
  ended.output_cut = fields.ReadFlag();
  ended.error_cut = fields.ReadFlag();
  ended.output = fields.ReadText(kMaxOutputBytes);
  ended.error = fields.ReadText(kMaxOutputBytes);
  return ended;
}

Progress ReadProgress(Fields& fields) {
  const auto id = fields.Read<std::uint64_t>();
  return {id, fields.ReadItem()};
}

Limit ReadLimit(Fields& fields) {
  const auto id = fields.Read<std::uint64_t>();
  return {id, fields.ReadItem()};
}

OpenRequest ReadOpenRequest(Fields& fields) {
  OpenRequest request;
  request.folder = fields.ReadPath();
  request.path = fields.ReadInnerPath();
  return request;
}

OpenAnswer ReadOpenAnswer(Fields& fields) {
  const FileStatus status = fields.ReadStatus();
  return {status, static_cast<std::int32_t>(fields.Read<std::uint32_t>())};
}

FindRequest ReadFindRequest(Fields& fields) {
  FindRequest request;
  request.folder = fields.ReadPath();
  request.glob = fields.ReadInnerPath();
  request.max_files = fields.Read<std::uint32_t>();
  fields.Expect(request.max_files <= kMaxPaths);
  return request;
}

FoundFiles ReadFoundFiles(Fields& fields) {
  FoundFiles found;
  found.status = fields.ReadStatus();
  found.error = static_cast<std::int32_t>(fields.Read<std::uint32_t>());
  found.paths = fields.ReadInnerPaths();
  return found;
}

std::optional<Message> ReadMessage(Kind kind, Fields& fields) {
  switch (kind) {
    case Kind::kHello:
      return ReadHello(fields);
    case Kind::kJob:
      return ReadJob(fields);
    case Kind::kRun:
      return ReadRun(fields);
    case Kind::kStop:
      return Stop{fields.Read<std::uint64_t>()};
    case Kind::kEnded:
      return ReadEnded(fields);
    case Kind::kProgress:
      return ReadProgress(fields);
    case Kind::kLimit:
      return ReadLimit(fields);
    case Kind::kOpenRequest:
      return ReadOpenRequest(fields);
    case Kind::kOpenAnswer:
      return ReadOpenAnswer(fields);
    case Kind::kFindRequest:
      return ReadFindRequest(fields);
    case Kind::kFoundFiles:
      return ReadFoundFiles(fields);
    case Kind::kRemoveRequest:
      return RemoveRequest{fields.ReadPath()};
    case Kind::kRemoveAnswer:
      return RemoveAnswer{static_cast<std::int32_t>(fields.Read<std::uint32_t>())};
  }
  return std::nullopt;
}

}  // namespace

std::int32_t ExitCodeOf(Ending ending, std::int32_t value) {
  switch (ending) {
    case Ending::kExited:
      return value;
    case Ending::kSignalled:
      return kSignalBase + value;
    case Ending::kNoProgram:
      return value == ENOENT || value == ENOTDIR ? kExitNotFound : kExitCannotExecute;
    case Ending::kNoFolder:
    case Ending::kNoProcess:
      break;
  }
  return kExitCannotExecute;
}

void AppendFrame(const Message& message, std::string& bytes) {
  const std::size_t start = bytes.size();
  bytes.append(kSizeBytes + kKindBytes, '\0');
  const Kind kind =
      std::visit([&bytes](const auto& fields) { return AppendFields(fields, bytes); }, message);
  std::string size;
  Append(static_cast<std::uint32_t>(bytes.size() - start - kSizeBytes), size);
  bytes.replace(start, kSizeBytes, size);
  bytes[start + kSizeBytes] = static_cast<char>(kind);
}

std::optional<Message> FrameReader::Next() {
  const std::string_view rest = std::string_view(bytes_).substr(taken_);
  if (broken_ || rest.size() < kSizeBytes) return std::nullopt;
  const auto size = NumberAt<std::uint32_t>(rest, 0);
  if (size < kKindBytes || size > kMaxFrameBytes) {
    broken_ = true;
    return std::nullopt;
  }
  if (rest.size() < kSizeBytes + size) {
    bytes_.erase(0, std::exchange(taken_, 0));
    return std::nullopt;
  }
  const auto kind = static_cast<Kind>(static_cast<unsigned char>(rest[kSizeBytes]));
  Fields fields(rest.substr(kSizeBytes + kKindBytes, size - kKindBytes));
  auto message = ReadMessage(kind, fields);
  broken_ = !message || !fields.Done();
  if (broken_) return std::nullopt;
  taken_ += kSizeBytes + size;
  if (taken_ == bytes_.size()) {
    bytes_.clear();
    taken_ = 0;
  }
  return message;
}

}  // namespace evenkeel::launcher
