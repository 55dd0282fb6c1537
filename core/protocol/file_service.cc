#include "core/protocol/file_service.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <utility>

#include "core/protocol/byte_buffers.h"
#include "core/protocol/limits.h"
#include "core/protocol/peer_name.h"

namespace evenkeel::protocol {
namespace {

using Call = BlockingCallQueue::Call;

template <typename Request>
bool DecodeUpload(const Request& request, UploadCall& upload) {
  if (request.upload().size() != upload.id.size()) return false;
  std::copy(request.upload().begin(), request.upload().end(), upload.id.begin());
  upload.task = request.task();
  return true;
}

/// A status; if it is OK, with an empty message as the response.
grpc::Status AnswerStored(const Result<void>& stored, grpc::ByteBuffer& response) {
  if (!stored) return BlockingCallQueue::StatusOf(stored.error());
  const grpc::Slice empty;
  response = grpc::ByteBuffer(&empty, 1);
  return grpc::Status::OK;
}

}  // namespace

v1::ListedFile ToProto(const ListedFile& file) {
  v1::ListedFile listed;
  listed.set_path(file.path);
  listed.set_size(static_cast<std::uint64_t>(file.size_bytes));
  listed.set_modified_ns(static_cast<std::uint64_t>(file.modified_nanoseconds));
  for (const Sha256Digest& chunk : file.chunks) {
    listed.mutable_digests()->append(chunk.data(), chunk.size());
  }
  return listed;
}

std::optional<ListedFile> FromProto(const v1::ListedFile& file) {
  constexpr std::size_t kDigest = sizeof(Sha256Digest);
  const std::string& digests = file.digests();
  if (digests.size() % kDigest != 0) return std::nullopt;
  ListedFile listed{file.path(),
                    static_cast<std::int64_t>(file.size()),
                    {},
                    static_cast<std::int64_t>(file.modified_ns())};
  for (std::size_t at = 0; at < digests.size(); at += kDigest) {
    digests.copy(listed.chunks.emplace_back().data(), kDigest, at);
  }
  return listed;
}

FileService::FileService(Options options, FileSource& source, TrafficCounter& traffic)
    : source_(source), traffic_(traffic), calls_(std::move(options)) {}

grpc::ServerUnaryReactor* FileService::List(grpc::CallbackServerContext* context,
                                            const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response) {
  return calls_.Take<v1::FileListRequest>(
      *context, *request, [&](const v1::FileListRequest& asked) -> std::optional<Call> {
        return Call{[this, task = asked.task(), input = asked.input(), response] {
          return AnswerList(task, input, *response);
        }};
      });
}

grpc::ServerUnaryReactor* FileService::Store(grpc::CallbackServerContext* context,
                                             const grpc::ByteBuffer* request,
                                             grpc::ByteBuffer* response) {
  return calls_.Take<v1::StoreRequest>(
      *context, *request, [&](v1::StoreRequest asked) -> std::optional<Call> {
        StoreCall call;
        if (!DecodeUpload(asked, call.upload)) return std::nullopt;
        if (asked.bytes().size() > static_cast<std::size_t>(kMaxPieceBytes)) return std::nullopt;
        call.begins = asked.begins();
        call.path = std::move(*asked.mutable_path());
        call.offset = static_cast<std::int64_t>(asked.offset());
        call.bytes = std::move(*asked.mutable_bytes());
        const std::size_t bytes = call.bytes.size();
        return Call{[this, call = std::move(call), response] {
                      return AnswerStored(source_.Store(call), *response);
                    },
                    bytes};
      });
}

grpc::ServerUnaryReactor* FileService::Commit(grpc::CallbackServerContext* context,
                                              const grpc::ByteBuffer* request,
                                              grpc::ByteBuffer* response) {
  return calls_.Take<v1::CommitRequest>(
      *context, *request, [&](const v1::CommitRequest& asked) -> std::optional<Call> {
        UploadCall upload;
        if (!DecodeUpload(asked, upload)) return std::nullopt;
        std::vector<ListedFile> files;
        for (const v1::ListedFile& listed : asked.files()) {
          auto file = FromProto(listed);
          if (!file) return std::nullopt;
          files.push_back(std::move(*file));
        }
        return Call{[this, upload, files = std::move(files), response] {
          return AnswerStored(source_.Commit(upload, files), *response);
        }};
      });
}

grpc::ServerUnaryReactor* FileService::Announce(grpc::CallbackServerContext* context,
                                                const grpc::ByteBuffer* request,
                                                grpc::ByteBuffer* response) {
  return calls_.Take<v1::CachedFiles>(
      *context, *request, [&](const v1::CachedFiles& asked) -> std::optional<Call> {
        if (asked.keys_size() > static_cast<int>(kMaxAnnouncedFiles)) return std::nullopt;
        const auto certified = PeerWorker(*context);
        std::string node = certified ? certified->node : asked.node();
        std::vector<std::uint64_t> keys(asked.keys().begin(), asked.keys().end());
        return Call{[this, node = std::move(node), keys = std::move(keys), response] {
          source_.Announce(node, keys);
          return AnswerStored({}, *response);
        }};
      });
}

grpc::Status FileService::AnswerList(std::uint64_t task, std::string_view input,
                                     grpc::ByteBuffer& response) {
  const auto files = source_.List(task, input);
  if (!files) return BlockingCallQueue::StatusOf(files.error());
  v1::FileList list;
  for (const ListedFile& file : *files) {
    *list.add_files() = ToProto(file);
  }
  const std::string encoded = list.SerializeAsString();
  if (encoded.size() > kMaxFileListBytes) {
    return {grpc::StatusCode::FAILED_PRECONDITION,
            "inputs: the list of the files of one task has " + std::to_string(encoded.size()) +
                " bytes, at most " + std::to_string(kMaxFileListBytes) + " are allowed"};
  }
  const grpc::Slice slice(encoded);
  response = grpc::ByteBuffer(&slice, 1);
  traffic_.Sent(1, encoded.size());
  return grpc::Status::OK;
}

}  // namespace evenkeel::protocol
