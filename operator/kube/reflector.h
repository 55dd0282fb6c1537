#pragma once

#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "operator/kube/object_sink.h"
#include "operator/kube/reflector_machine.h"
#include "operator/kube/reflector_options.h"
#include "operator/kube/server_access.h"

namespace evenkeel::kube {

/// What a reflector has done so far.
struct ReflectorStats {
  std::uint64_t lists = 0;     ///< completed, streamed or paged
  std::uint64_t watches = 0;   ///< streams asked for
  std::uint64_t failures = 0;  ///< requests without success and streams that broke
  std::string last_failure;    ///< one line; empty while all goes well
  Instant last_heard{};        ///< the last page, event or bookmark
};

/// Keeps a sink up to date with a collection of the API server, from a thread of its own that runs
/// a ReflectorMachine. What `access` names and the sink must outlive it. Stats() is thread-safe;
/// Start() and Stop() are for one owner.
class Reflector {
 public:
  /// `seed` spreads the times of many clients.
  Reflector(const ServerAccess& access, const ReflectorOptions& options, ObjectSink& sink,
            std::uint64_t seed);
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;
  ~Reflector();

  /// Once.
  void Start();
  /// Ends the watch and waits for the thread: at most as long as a page may take.
  void Stop();

  [[nodiscard]] ReflectorStats Stats() const;

 private:
  class Lines;

  void Run(const std::stop_token& stop);
  void FetchPage(const ReflectorRequest& request);
  void FinishPage(const Response& response);
  void Watch(const ReflectorRequest& request, const std::stop_token& stop);
  [[nodiscard]] bool TakeLine(std::string_view line);
  [[nodiscard]] bool TakeEvent(const WatchEvent& event);
  void CompleteList();
  void Heard();
  void NoteFailure(const std::string& what);
  void Refused(const Response& response);
  void Fail(const RequestFailure& failure, const std::string& what);

  const ServerAccess access_;
  const std::string path_;
  ObjectSink& sink_;
  ReflectorMachine machine_;

  mutable std::mutex mutex_;
  ReflectorStats stats_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace evenkeel::kube
