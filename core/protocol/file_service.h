#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/protocol/evenkeel.grpc.pb.h"
#include "core/protocol/sha256.h"
#include "core/protocol/transport_settings.h"

namespace evenkeel::protocol {

/// An input file of a task.
struct ListedFile {
  std::string path;  ///< relative to the folder of the task
  std::int64_t size_bytes = 0;
  std::vector<Sha256Digest> chunks;  ///< of each 4 MiB; the last chunk may be shorter

  friend bool operator==(const ListedFile&, const ListedFile&) = default;
};

/// A request for one chunk of a file.
struct ChunkCall {
  Sha256Digest digest{};
  std::string path;  ///< of a file that has it, and its place in there
  std::size_t place = 0;
  bool only_here = false;
  std::string client;  ///< "HOST:PORT" on which the client serves others; empty: none
};

/// Provides the files. Called concurrently by the threads of the service; may block on the disk.
/// Errors: kInvalidInput fails the task; kUnavailable: may be there later.
class FileSource {
 public:
  virtual ~FileSource() = default;
  [[nodiscard]] virtual Result<std::vector<ListedFile>> List(std::uint64_t task) = 0;
  /// "HOST:PORT" of a worker that the client should ask instead; empty: none.
  [[nodiscard]] virtual std::string Redirect(const ChunkCall& call) = 0;
  [[nodiscard]] virtual Result<std::string> Read(const ChunkCall& call) = 0;
};

/// The server side of Files. It reads files on its own threads, so that a slow disk does not block
/// streams. Thread-safe. Register it with a server, and destroy it after the server has shut down.
class FileService final : public v1::Files::WithRawCallbackMethod_List<
                              v1::Files::WithRawCallbackMethod_Fetch<v1::Files::Service>> {
 public:
  struct Options {
    std::string token;        ///< that the client must send; empty: none
    std::string client_name;  ///< DNS name in the certificate of the client; empty: any
    std::size_t readers = 1;  ///< threads
  };
  /// `source` and `traffic`, which counts the bytes sent, must outlive this.
  FileService(Options options, FileSource& source, TrafficCounter& traffic);
  ~FileService() override;

  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* request,
                                 grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Fetch(grpc::CallbackServerContext* context,
                                  const grpc::ByteBuffer* request,
                                  grpc::ByteBuffer* response) override;

 private:
  using Answer = std::function<grpc::Status()>;
  struct Waiting {
    Answer answer;
    grpc::ServerUnaryReactor* reactor;
  };

  [[nodiscard]] grpc::Status Authenticate(const grpc::CallbackServerContext& context,
                                          const std::string& token) const;
  grpc::ServerUnaryReactor* Enqueue(grpc::CallbackServerContext& context, Answer answer);
  [[nodiscard]] grpc::Status AnswerList(std::uint64_t task, grpc::ByteBuffer& response);
  [[nodiscard]] grpc::Status AnswerFetch(const ChunkCall& call, grpc::ByteBuffer& response);
  void AnswerWaiting();

  const Options options_;
  FileSource& source_;
  TrafficCounter& traffic_;
  std::mutex mutex_;  // guards the members below, except readers_
  std::condition_variable filled_;
  std::deque<Waiting> waiting_;
  bool ending_ = false;
  std::vector<std::thread> readers_;
};

}  // namespace evenkeel::protocol
