#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "coordinator/holders.h"
#include "core/base/error.h"
#include "core/protocol/chunk_service.h"
#include "core/protocol/file_service.h"
#include "files/origin_index.h"
#include "workloads/output_folder.h"
#include "workloads/task_files.h"

namespace evenkeel::coordinator {

/// The input files of a job, and the workers that have got them. The first worker gets a chunk from
/// here; later ones are redirected to a worker that has it or is about to have it. Takes the output
/// files. Thread-safe.
class FileHome final : public protocol::ChunkSource, public protocol::FileSource {
 public:
  /// The input files of a task with this input; thread-safe. kInvalidInput: the task has none that
  /// can be used.
  using InputsOf = std::function<Result<std::vector<workloads::FileVersion>>(
      std::uint64_t task, std::string_view input)>;
  /// As FileSource::Announce; thread-safe.
  using Announced =
      std::function<void(const std::string& node, const std::vector<std::uint64_t>& keys)>;

  /// `index` and `outputs` must outlive it.
  FileHome(files::OriginIndex& index, InputsOf inputs, workloads::OutputFolder& outputs,
           Announced announced = nullptr);

  Result<std::vector<protocol::ListedFile>> List(std::uint64_t task,
                                                 std::string_view input) override;
  protocol::Redirection Redirect(const protocol::ChunkCall& call) override;
  Result<SharedBytes> Read(const protocol::ChunkCall& call) override;
  Result<void> Store(const protocol::StoreCall& call) override;
  Result<void> Commit(const protocol::UploadCall& upload,
                      const std::vector<protocol::ListedFile>& files) override;
  void Announce(const std::string& node, const std::vector<std::uint64_t>& keys) override;

  /// Why output files cannot be stored now, one line; empty: they can, as far as is known.
  [[nodiscard]] std::string Trouble() const;

 private:
  /// The client gets the chunk from here. With the mutex held.
  void NoteHolder(const protocol::ChunkCall& call);
  /// Notes, and logs, when output files can no longer be written, and when they can again.
  void NoteStored(const Result<void>& stored);

  files::OriginIndex& index_;
  const InputsOf inputs_;
  workloads::OutputFolder& outputs_;
  const Announced announced_;
  mutable std::mutex mutex_;                           // guards what follows
  std::string trouble_;                                // empty: output files can be written
  std::map<protocol::Sha256Digest, Holders> holders_;  // that got a chunk or get it now
  std::deque<protocol::Sha256Digest> noted_;  // keys of holders_, in the order of their entry
};

}  // namespace evenkeel::coordinator
