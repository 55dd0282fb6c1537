#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/shared_bytes.h"
#include "core/protocol/blocking_call_queue.h"
#include "core/protocol/evenkeel.grpc.pb.h"
#include "core/protocol/limits.h"
#include "core/protocol/sha256.h"
#include "core/protocol/transport_settings.h"

namespace evenkeel::protocol {

/// An input or output file of a task.
struct ListedFile {
  std::string path;  ///< relative to the folder of the task
  std::int64_t size_bytes = 0;
  std::vector<Sha256Digest> chunks;  ///< of each 4 MiB; the last chunk may be shorter
  /// The last change of an input file at the coordinator, since 1970; 0: unknown.
  std::int64_t modified_nanoseconds = 0;

  friend bool operator==(const ListedFile&, const ListedFile&) = default;
};

[[nodiscard]] v1::ListedFile ToProto(const ListedFile& file);
/// Nothing if the digests are not whole. Path, size and number of chunks are not checked.
[[nodiscard]] std::optional<ListedFile> FromProto(const v1::ListedFile& file);

/// An upload of the output files of one run of a task.
struct UploadCall {
  std::uint64_t task = 0;
  std::array<char, kUploadIdBytes> id{};
};

/// A piece of an output file.
struct StoreCall {
  UploadCall upload;
  bool begins = false;  ///< the first piece of the upload
  std::string path;
  std::int64_t offset = 0;
  std::string bytes;
};

/// Lists the input files and takes the output files. Called concurrently by the threads of the
/// service; may block on the disk. Errors: kInvalidInput fails the task; kUnavailable: may be there
/// later; kStorageFull; kConflict: the client has to upload all files again.
class FileSource {
 public:
  virtual ~FileSource() = default;
  [[nodiscard]] virtual Result<std::vector<ListedFile>> List(std::uint64_t task,
                                                             std::string_view input) = 0;
  /// Stages a piece of an output file. May be repeated.
  [[nodiscard]] virtual Result<void> Store(const StoreCall& call) = 0;
  /// Makes the files of an upload durable. May be repeated.
  [[nodiscard]] virtual Result<void> Commit(const UploadCall& upload,
                                            const std::vector<ListedFile>& files) = 0;
  /// The worker of a node says which files its cache had when it started: at most
  /// kMaxAnnouncedFiles values of files::VersionKey. Any node name under the loopback token, else
  /// the one of the certificate.
  virtual void Announce(const std::string& node, const std::vector<std::uint64_t>& keys) = 0;
};

/// The server side of Files. Thread-safe. Register it with a server, and destroy it after the
/// server has shut down.
class FileService final
    : public v1::Files::WithRawCallbackMethod_List<
          v1::Files::WithRawCallbackMethod_Store<v1::Files::WithRawCallbackMethod_Commit<
              v1::Files::WithRawCallbackMethod_Announce<v1::Files::Service>>>> {
 public:
  using Options = BlockingCallQueue::Options;
  /// `source` and `traffic`, which counts the bytes sent, must outlive this.
  FileService(Options options, FileSource& source, TrafficCounter& traffic);

  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* request,
                                 grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Store(grpc::CallbackServerContext* context,
                                  const grpc::ByteBuffer* request,
                                  grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Commit(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Announce(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;

 private:
  [[nodiscard]] grpc::Status AnswerList(std::uint64_t task, std::string_view input,
                                        grpc::ByteBuffer& response);

  FileSource& source_;
  TrafficCounter& traffic_;
  BlockingCallQueue calls_;  // the last member: its threads use the others
};

}  // namespace evenkeel::protocol
