#include "worker/chunk_fetcher.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/protocol/byte_buffers.h"
#include "core/protocol/evenkeel.pb.h"
#include "workloads/task_files.h"

namespace evenkeel::worker {
namespace {

constexpr const char* kMethod = "/evenkeel.v1.Chunks/Fetch";
// Wrong bytes from the coordinator, one after the other, before the fetch fails.
constexpr int kMaxWrongAnswers = 5;

using Digest = std::optional<protocol::Sha256Digest>;

/// For people.
std::string NameOf(const protocol::ChunkPlace& place) {
  const auto* const file = std::get_if<protocol::FilePlace>(&place);
  return file != nullptr ? workloads::ShownPath(file->path)
                         : "block " + std::to_string(std::get<protocol::BlockPlace>(place).block);
}

/// The digest that came with a redirection.
Digest DigestOf(const grpc::ClientContext& context) {
  const auto& metadata = context.GetServerTrailingMetadata();
  const auto found = metadata.find(protocol::kChunkDigestKey);
  Digest digest;
  if (found == metadata.end() || found->second.size() != digest.emplace().size()) {
    return std::nullopt;
  }
  std::copy(found->second.begin(), found->second.end(), digest->begin());
  return digest;
}

/// Whether the bytes are of the chunk; without a digest, their number must do.
bool IsRight(const SharedBytes& bytes, const WantedChunk& wanted, const Digest& digest) {
  return bytes.Size() == static_cast<std::size_t>(wanted.size_bytes) &&
         (!digest || protocol::Sha256Of(bytes) == *digest);
}

}  // namespace

Result<SharedBytes> ChunkFetcher::Fetch(const WantedChunk& wanted, const std::stop_token& stop) {
  meter_.Begin();
  auto bytes = FetchUnmetered(wanted, stop);
  meter_.End(bytes ? wanted.size_bytes : 0);
  return bytes;
}

Result<SharedBytes> ChunkFetcher::FetchUnmetered(const WantedChunk& wanted,
                                                 const std::stop_token& stop) {
  v1::ChunkRequest request;
  request.set_token(options_.token);
  if (wanted.digest) request.set_digest(wanted.digest->data(), wanted.digest->size());
  protocol::SetPlace(wanted.place, request);
  request.set_port(options_.port);
  for (int wrong = 0; wrong < kMaxWrongAnswers;) {
    const auto answer = connections_.AskHome(kMethod, protocol::Encode(request), stop);
    if (!answer) return tl::unexpected(answer.error());
    if ((*answer)->status.ok()) {
      SharedBytes bytes = protocol::BytesOf((*answer)->response);
      if (IsRight(bytes, wanted, wanted.digest)) return bytes;
      ++wrong;
      continue;
    }
    const std::string holder = (*answer)->status.error_message();
    if (request.only_here() || holder.empty()) {
      return Fail(ErrorCode::kUnavailable, "the coordinator does not send a chunk");
    }
    request.set_only_here(true);  // if the other worker does not send it
    const Digest digest = wanted.digest ? wanted.digest : DigestOf((*answer)->context);
    if (!digest || !connections_.Trusts(holder)) continue;
    const auto sent = connections_.Ask(holder, kMethod, protocol::Encode(request), stop);
    if (stop.stop_requested()) return DataConnections::Stopped();
    if (!sent->status.ok()) continue;
    SharedBytes bytes = protocol::BytesOf(sent->response);
    if (IsRight(bytes, wanted, digest)) return bytes;
    connections_.Distrust(holder, NameOf(wanted.place));
  }
  return Fail(ErrorCode::kUnavailable,
              "the coordinator sends wrong bytes of " + NameOf(wanted.place));
}

}  // namespace evenkeel::worker
