#include "worker/file_client.h"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/protocol/byte_buffers.h"
#include "core/protocol/limits.h"

namespace evenkeel::worker {
namespace {

constexpr const char* kList = "/evenkeel.v1.Files/List";
constexpr const char* kStore = "/evenkeel.v1.Files/Store";
constexpr const char* kCommit = "/evenkeel.v1.Files/Commit";
constexpr const char* kAnnounce = "/evenkeel.v1.Files/Announce";
// A round trip for each of many small files would take longer than their bytes.
constexpr std::int64_t kSmallFileBytes = 256 << 10;
constexpr std::size_t kSmallFilesAtOnce = 4;
// Memory for the lists of files of tasks that are fetched ahead.
constexpr std::size_t kMaxKeptListBytes = std::size_t{8} << 20;
// Uploads of the files of one run that did not reach the coordinator's disk whole.
constexpr int kMaxUploads = 10;

std::string RandomBytes(std::size_t count) {
  std::random_device device;
  std::string bytes;
  for (std::size_t n = 0; n < count; ++n) bytes.push_back(static_cast<char>(device()));
  return bytes;
}

}  // namespace

std::int64_t FileClient::BytesOfAll(const std::vector<protocol::ListedFile>& list) {
  std::int64_t bytes = 0;
  for (const protocol::ListedFile& file : list) {
    bytes += std::min(file.size_bytes, std::numeric_limits<std::int64_t>::max() - bytes);
  }
  return bytes;
}

Result<std::vector<workloads::InputFile>> FileClient::Acquire(model::TaskIndex task,
                                                              std::string_view input,
                                                              const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    ++acquiring_;
  }
  const auto list = KeptOrNewList(task, input, stop);
  auto pins = list ? FetchNow(*list, stop) : tl::unexpected(list.error());
  {
    const std::lock_guard lock(mutex_);
    --acquiring_;
    released_.notify_all();  // FetchAhead waits for this
  }
  if (!pins) return tl::unexpected(pins.error());
  std::vector<workloads::InputFile> inputs;
  for (std::size_t n = 0; n < list->size(); ++n) {
    inputs.push_back({(*list)[n].path, (*pins)[n]->Path(), (*list)[n].size_bytes});
  }
  const std::lock_guard lock(mutex_);
  pins_.emplace(task, std::move(*pins));
  return inputs;
}

Result<FileClient::Pins> FileClient::FetchNow(const std::vector<protocol::ListedFile>& list,
                                              const std::stop_token& stop) {
  if (const std::int64_t bytes = BytesOfAll(list); bytes > cache_.LimitBytes()) {
    return InvalidInput("inputs: the files of the task have " + std::to_string(bytes) +
                        " bytes, and a worker may keep " + std::to_string(cache_.LimitBytes()));
  }
  auto pins = FetchAll(list, stop);
  const bool full = !pins && pins.error().code == ErrorCode::kStorageFull;
  return full ? FetchWhenThereIsRoom(list, stop) : std::move(pins);
}

Result<FileClient::Pins> FileClient::FetchEach(const std::vector<protocol::ListedFile>& list,
                                               const std::stop_token& stop) {
  std::vector<std::size_t> small;
  std::vector<std::size_t> large;
  for (std::size_t n = 0; n < list.size(); ++n) {
    (list[n].size_bytes <= kSmallFileBytes ? small : large).push_back(n);
  }
  Pins pins(list.size());
  std::stop_source rest;  // stops the others when one file cannot be had
  const std::stop_callback stop_rest(stop, [&rest] { rest.request_stop(); });
  std::mutex mutex;  // guards `error`
  std::optional<Error> error;
  const auto fetch = [&](std::size_t n) {
    const protocol::ListedFile& file = list[n];
    auto pin = cache_.Get(
        {file.size_bytes, file.chunks},
        [&](std::size_t place, const std::stop_token& ended) {
          return FetchChunk(file, place, ended);
        },
        rest.get_token(), file.modified_nanoseconds);
    if (pin) {
      pins[n] = std::move(*pin);
      return;
    }
    const std::lock_guard lock(mutex);
    if (!error) error = std::move(pin.error());  // later ones were stopped
    rest.request_stop();
  };
  std::atomic<std::size_t> next = 0;
  const auto fetch_small = [&] {
    for (std::size_t n = next++; n < small.size() && !rest.stop_requested(); n = next++) {
      fetch(small[n]);
    }
  };
  {
    std::vector<std::jthread> helpers;
    while (helpers.size() + 1 < std::min(kSmallFilesAtOnce, small.size())) {
      helpers.emplace_back(fetch_small);
    }
    for (const std::size_t n : large) {
      if (!rest.stop_requested()) fetch(n);
    }
    fetch_small();
  }
  if (error) return tl::unexpected(*error);
  if (rest.stop_requested()) return DataConnections::Stopped();
  return pins;
}

Result<FileClient::Pins> FileClient::FetchAll(const std::vector<protocol::ListedFile>& list,
                                              const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    ++fetching_;
  }
  Result<Pins> pins = FetchEach(list, stop);
  const std::lock_guard lock(mutex_);
  --fetching_;
  if (pins) {
    ++holders_;
  } else {
    NoteReleased();
  }
  return pins;
}

Result<std::int64_t> FileClient::FetchAhead(model::TaskIndex task, std::string_view input,
                                            std::int64_t most_bytes, const std::stop_token& stop) {
  auto list = List(task, input, stop);
  if (!list) return tl::unexpected(list.error());
  const std::int64_t bytes = BytesOfAll(*list);
  if (bytes > most_bytes) return Fail(ErrorCode::kStorageFull, "no room to fetch files ahead");
  {
    std::unique_lock lock(mutex_);
    if (!released_.wait(lock, stop, [this] { return acquiring_ == 0; }))
      return DataConnections::Stopped();
  }
  auto pins = FetchAll(*list, stop);
  if (!pins) return tl::unexpected(pins.error());
  Unpin(std::move(*pins));
  Keep(task, input, std::move(*list));
  return bytes;
}

Result<FileClient::Pins> FileClient::FetchWhenThereIsRoom(
    const std::vector<protocol::ListedFile>& list, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!released_.wait(lock, stop, [this] { return !waits_for_room_; }))
    return DataConnections::Stopped();
  waits_for_room_ = true;
  Result<Pins> pins;
  for (;;) {
    const std::uint64_t before = releases_;
    const bool was_alone = fetching_ == 0 && holders_ == 0;
    lock.unlock();
    pins = FetchAll(list, stop);
    lock.lock();
    const bool full = !pins && pins.error().code == ErrorCode::kStorageFull;
    // Its own attempt has ended, too.
    const auto others_released = [&] { return releases_ > before + 1; };
    const bool is_alone = was_alone && fetching_ == 0 && holders_ == 0 && !others_released();
    if (!full || is_alone) break;
    if (!released_.wait(lock, stop, others_released)) {
      pins = DataConnections::Stopped();
      break;
    }
  }
  waits_for_room_ = false;
  released_.notify_all();
  return pins;
}

void FileClient::NoteReleased() {
  ++releases_;
  released_.notify_all();
}

void FileClient::Release(model::TaskIndex task) {
  Pins pins;
  {
    const std::lock_guard lock(mutex_);
    const auto found = pins_.find(task);
    if (found == pins_.end()) return;
    pins = std::move(found->second);
    pins_.erase(found);
  }
  Unpin(std::move(pins));
}

void FileClient::Unpin(Pins pins) {
  pins.clear();  // without the lock: it changes the disk
  const std::lock_guard lock(mutex_);
  --holders_;
  NoteReleased();
}

void FileClient::Announce(const std::string& node, const std::stop_token& stop) {
  const std::vector<std::uint64_t> keys = cache_.VersionKeys();
  if (keys.empty()) return;
  v1::CachedFiles cached;
  cached.set_token(token_);
  cached.set_node(node);
  cached.mutable_keys()->Add(keys.begin(), keys.end());
  static_cast<void>(connections_.AskHome(kAnnounce, protocol::Encode(cached), stop));
}

Result<std::vector<protocol::ListedFile>> FileClient::List(model::TaskIndex task,
                                                           std::string_view input,
                                                           const std::stop_token& stop) {
  v1::FileListRequest request;
  request.set_token(token_);
  request.set_task(static_cast<std::uint64_t>(task));
  request.set_input(std::string(input));
  const auto answer = connections_.AskHome(kList, protocol::Encode(request), stop);
  if (!answer) return tl::unexpected(answer.error());
  v1::FileList list;
  std::vector<protocol::ListedFile> files;
  bool right =
      (*answer)->status.ok() &&
      grpc::SerializationTraits<v1::FileList>::Deserialize(&(*answer)->response, &list).ok() &&
      list.files_size() <= static_cast<int>(workloads::kMaxInputFiles);
  for (const v1::ListedFile& listed : list.files()) {
    auto file = protocol::FromProto(listed);
    right = right && file && workloads::PathMistake(file->path).empty() &&
            files::IsConsistent({file->size_bytes, file->chunks});
    if (!right) break;
    files.push_back(std::move(*file));
  }
  if (!right) return Fail(ErrorCode::kUnavailable, "the coordinator sent a malformed file list");
  return files;
}

Result<std::vector<protocol::ListedFile>> FileClient::KeptOrNewList(model::TaskIndex task,
                                                                    std::string_view input,
                                                                    const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    const auto kept = std::find_if(kept_lists_.begin(), kept_lists_.end(),
                                   [&](const KeptList& list) { return list.task == task; });
    if (kept != kept_lists_.end()) {
      KeptList list = std::move(*kept);
      kept_lists_.erase(kept);
      kept_list_bytes_ -= list.bytes;
      if (list.input == input) return std::move(list.files);
    }
  }
  return List(task, input, stop);
}

void FileClient::Keep(model::TaskIndex task, std::string_view input,
                      std::vector<protocol::ListedFile> files) {
  std::size_t bytes = sizeof(KeptList) + input.size();
  for (const protocol::ListedFile& file : files) {
    bytes += sizeof file + file.path.size() + file.chunks.size() * sizeof(protocol::Sha256Digest);
  }
  const std::lock_guard lock(mutex_);
  kept_lists_.push_back({task, std::string(input), std::move(files), bytes});
  kept_list_bytes_ += bytes;
  while (kept_list_bytes_ > kMaxKeptListBytes) {
    kept_list_bytes_ -= kept_lists_.front().bytes;
    kept_lists_.pop_front();
  }
}

Result<files::Chunk> FileClient::FetchChunk(const protocol::ListedFile& file, std::size_t place,
                                            const std::stop_token& stop) {
  const protocol::Sha256Digest& digest = file.chunks[place];
  auto bytes = chunks_.Fetch(
      {protocol::FilePlace{file.path, place}, files::ChunkBytes(file.size_bytes, place), digest},
      stop);
  if (!bytes) return tl::unexpected(bytes.error());
  return files::Chunk(std::move(*bytes), digest);
}

Result<void> FileClient::Store(model::TaskIndex task,
                               std::span<const workloads::OutputFile> outputs,
                               const std::stop_token& stop) {
  for (int uploads = 1;; ++uploads) {
    auto stored = Upload(task, outputs, stop);
    if (stored || stored.error().code != ErrorCode::kConflict) return stored;
    if (uploads == kMaxUploads) {
      return Fail(ErrorCode::kUnavailable,
                  "the output files of task " + std::to_string(task) +
                      " do not reach the coordinator: " + stored.error().message);
    }
    DataConnections::Pause(stop);
    if (stop.stop_requested()) return DataConnections::Stopped();
  }
}

Result<void> FileClient::Upload(model::TaskIndex task,
                                std::span<const workloads::OutputFile> outputs,
                                const std::stop_token& stop) {
  const std::string id = RandomBytes(protocol::kUploadIdBytes);
  v1::StoreRequest piece;
  piece.set_token(token_);
  piece.set_task(static_cast<std::uint64_t>(task));
  piece.set_upload(id);
  piece.set_begins(true);
  v1::CommitRequest commit;
  commit.set_token(token_);
  commit.set_task(static_cast<std::uint64_t>(task));
  commit.set_upload(id);
  for (const workloads::OutputFile& output : outputs) {
    const auto before = workloads::VersionOf(output.path, output.descriptor);
    const auto sent = SendFile(output, piece, commit, stop);
    const auto after = workloads::VersionOf(output.path, output.descriptor);
    if (!before || before != after || after->size_bytes != output.size_bytes) {
      return InvalidInput("output " + workloads::ShownPath(output.path) + " " +
                          workloads::kOutputChanged);
    }
    if (!sent) return sent;
  }
  const auto answer = connections_.AskHome(kCommit, protocol::Encode(commit), stop);
  return answer ? Result<void>() : tl::unexpected(answer.error());
}

Result<void> FileClient::SendFile(const workloads::OutputFile& output, v1::StoreRequest& piece,
                                  v1::CommitRequest& commit, const std::stop_token& stop) {
  // Not owned, and not to be closed.
  const platform::FileDescriptor file(::fcntl(output.descriptor, F_DUPFD_CLOEXEC, 0));
  protocol::ListedFile listed{output.path, output.size_bytes, {}};
  piece.set_path(output.path);
  const auto send = [&](std::int64_t offset, const SharedBytes& bytes) -> Result<void> {
    piece.set_offset(static_cast<std::uint64_t>(offset));
    const auto answer = connections_.AskHome(kStore, protocol::EncodeStore(piece, bytes), stop);
    piece.set_begins(false);
    return answer ? Result<void>() : tl::unexpected(answer.error());
  };
  if (output.size_bytes == 0) {
    if (auto sent = send(0, SharedBytes()); !sent) return sent;
  }
  const std::size_t chunks = files::ChunkCount(output.size_bytes);
  for (std::size_t place = 0; place < chunks; ++place) {
    const auto chunk = files::ReadChunk(file, output.size_bytes, place);
    if (!chunk) {
      return Fail(chunk.error().code,
                  "output " + workloads::ShownPath(output.path) + ": " + chunk.error().message);
    }
    listed.chunks.push_back(chunk->Digest());
    const std::string_view whole = chunk->Bytes().Parts().front();
    const std::int64_t begin = static_cast<std::int64_t>(place) * files::kChunkBytes;
    constexpr auto kPiece = static_cast<std::size_t>(protocol::kPieceBytes);
    for (std::size_t at = 0; at < whole.size(); at += kPiece) {
      const SharedBytes bytes(chunk->Bytes().Owner(), {whole.substr(at, kPiece)});
      if (auto sent = send(begin + static_cast<std::int64_t>(at), bytes); !sent) return sent;
    }
  }
  *commit.add_files() = protocol::ToProto(listed);
  return {};
}

}  // namespace evenkeel::worker
