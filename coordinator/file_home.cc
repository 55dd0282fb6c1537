#include "coordinator/file_home.h"

#include <utility>
#include <variant>

#include "core/base/log.h"

namespace evenkeel::coordinator {
namespace {

// About 20 MB; the holders of chunks noted before are forgotten.
constexpr std::size_t kMaxNotedChunks = 100'000;

workloads::OutputFolder::UploadKey KeyOf(const protocol::UploadCall& upload) {
  return {static_cast<model::TaskIndex>(upload.task), upload.id};
}

}  // namespace

FileHome::FileHome(files::OriginIndex& index, InputsOf inputs, workloads::OutputFolder& outputs,
                   Announced announced)
    : index_(index),
      inputs_(std::move(inputs)),
      outputs_(outputs),
      announced_(std::move(announced)) {}

Result<std::vector<protocol::ListedFile>> FileHome::List(std::uint64_t task,
                                                         std::string_view input) {
  const auto inputs = inputs_(task, input);
  if (!inputs) return tl::unexpected(inputs.error());
  std::vector<protocol::ListedFile> list;
  for (const workloads::FileVersion& file : *inputs) {
    auto content = index_.ContentOf(file.path);
    if (!content) return tl::unexpected(content.error());
    list.push_back(
        {file.path, content->size_bytes, std::move(content->chunks), file.modified_nanoseconds});
  }
  return list;
}

protocol::Redirection FileHome::Redirect(const protocol::ChunkCall& call) {
  if (!call.digest) return {};
  const std::lock_guard lock(mutex_);
  const auto found = holders_.find(*call.digest);
  if (found == holders_.end()) {
    NoteHolder(call);  // from now on: others wait there until the chunk has arrived
    return {};
  }
  return {found->second.Next(call.client), *call.digest};
}

Result<SharedBytes> FileHome::Read(const protocol::ChunkCall& call) {
  const auto* const place = std::get_if<protocol::FilePlace>(&call.place);
  if (place == nullptr || !call.digest) {
    return InvalidInput("the coordinator of this job has files, and no blocks");
  }
  if (call.only_here) {
    const std::lock_guard lock(mutex_);
    NoteHolder(call);
  }
  return index_.Read(place->path, place->chunk, *call.digest);
}

Result<void> FileHome::Store(const protocol::StoreCall& call) {
  auto stored =
      outputs_.Write(KeyOf(call.upload), {call.path, call.offset, call.bytes, call.begins});
  NoteStored(stored);
  return stored;
}

Result<void> FileHome::Commit(const protocol::UploadCall& upload,
                              const std::vector<protocol::ListedFile>& files) {
  std::vector<workloads::OutputFolder::UploadedFile> uploaded;
  for (const protocol::ListedFile& file : files) uploaded.push_back({file.path, file.size_bytes});
  auto committed = outputs_.Commit(
      KeyOf(upload), uploaded, [&files](std::size_t n, const platform::FileDescriptor& file) {
        return files::HasContent(file, {files[n].size_bytes, files[n].chunks});
      });
  NoteStored(committed);
  return committed;
}

void FileHome::Announce(const std::string& node, const std::vector<std::uint64_t>& keys) {
  if (announced_) announced_(node, keys);
}

std::string FileHome::Trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void FileHome::NoteStored(const Result<void>& stored) {
  const bool failed = !stored && (stored.error().code == ErrorCode::kStorageFull ||
                                  stored.error().code == ErrorCode::kUnavailable);
  if (!failed && !stored) return;
  std::string trouble;
  if (failed) {
    trouble = "output files cannot be stored: " + stored.error().message +
              "; the job goes on when " +
              (stored.error().code == ErrorCode::kStorageFull ? "there is room" : "they can");
  }
  const std::lock_guard lock(mutex_);
  if (trouble.empty() == trouble_.empty()) return;
  if (failed) {
    Log(LogLevel::kError, trouble);
  } else {
    Log(LogLevel::kInfo, "output files can be stored again");
  }
  trouble_ = std::move(trouble);
}

void FileHome::NoteHolder(const protocol::ChunkCall& call) {
  if (call.client.empty()) return;
  const auto [found, added] = holders_.try_emplace(*call.digest);
  found->second.Note(call.client, call.only_here);
  if (!added) return;
  noted_.push_back(*call.digest);
  if (noted_.size() <= kMaxNotedChunks) return;
  holders_.erase(noted_.front());
  noted_.pop_front();
}

}  // namespace evenkeel::coordinator
