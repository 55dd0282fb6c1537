#include "operator/kube/reflector.h"

#include <utility>

#include "core/base/check.h"
#include "core/base/log.h"
#include "operator/kube/api_error.h"

namespace evenkeel::kube {
namespace {

constexpr int kOk = 200;

}  // namespace

/// Hands the lines of one stream on and remembers whether there was any.
class Reflector::Lines final : public LineSink {
 public:
  explicit Lines(Reflector& reflector) : reflector_(reflector) {}

  bool OnLine(std::string_view line) override {
    any_ = true;
    return reflector_.TakeLine(line);
  }
  [[nodiscard]] bool Any() const { return any_; }

 private:
  Reflector& reflector_;
  bool any_ = false;
};

Reflector::Reflector(const ServerAccess& access, const ReflectorOptions& options, ObjectSink& sink,
                     std::uint64_t seed)
    : access_(access),
      path_(CollectionPath(options.resource, options.name_space)),
      sink_(sink),
      machine_(options, seed) {}

Reflector::~Reflector() { Stop(); }

void Reflector::Start() {
  EVENKEEL_CHECK(!thread_.joinable(), "a reflector that is started twice");
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void Reflector::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

ReflectorStats Reflector::Stats() const {
  const std::scoped_lock lock(mutex_);
  return stats_;
}

void Reflector::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const ReflectorRequest request = machine_.Next();
    const Duration pause = request.not_before - access_.clock.Now();
    if (pause > Duration::zero() && !access_.waiter.WaitFor(pause, stop)) return;
    machine_.Started(access_.clock.Now());
    if (request.begins_list) sink_.BeginList();
    if (request.kind == ReflectorRequestKind::kPage) {
      FetchPage(request);
    } else {
      Watch(request, stop);
    }
  }
}

void Reflector::FetchPage(const ReflectorRequest& request) {
  Request page;
  page.method = "GET";
  page.target = request.target;
  page.timeout = request.timeout;
  const Result<Response> response = access_.transport.Send(page);
  if (!response) return Fail({}, response.error().message);
  if (response->status != kOk) {
    return Refused(*response);
  }
  FinishPage(*response);
}

void Reflector::FinishPage(const Response& response) {
  const Result<PageSummary> page =
      ReadPage(response.body,
               [this](const ObjectMeta& meta, const Json& object) { sink_.Put(meta, object); });
  if (!page) return Fail({}, page.error().message);
  Heard();
  switch (machine_.PageRead(*page, access_.clock.Now())) {
    case PageVerdict::kMore:
      return;
    case PageVerdict::kListComplete:
      return CompleteList();
    case PageVerdict::kTooMany:
      return NoteFailure("the list has more items than the operator takes");
  }
}

void Reflector::Watch(const ReflectorRequest& request, const std::stop_token& stop) {
  {
    const std::scoped_lock lock(mutex_);
    ++stats_.watches;
  }
  Request watch;
  watch.method = "GET";
  watch.target = request.target;
  watch.timeout = request.timeout;
  Lines lines(*this);
  const Result<Response> response = access_.transport.Stream(watch, lines, stop);
  if (stop.stop_requested()) return;
  if (!response && !lines.Any()) return Fail({}, response.error().message);
  if (response && response->status != kOk) {
    return Refused(*response);
  }
  machine_.StreamEnded(access_.clock.Now());
}

bool Reflector::TakeLine(std::string_view line) {
  const Result<WatchEvent> event = ReadWatchEvent(line);
  if (!event) {
    NoteFailure(event.error().message);
    return false;
  }
  return TakeEvent(*event);
}

bool Reflector::TakeEvent(const WatchEvent& event) {
  const WatchVerdict verdict = machine_.Saw(event);
  if (verdict == WatchVerdict::kStop) {
    NoteFailure(event.message.empty() ? "a list without end" : event.message);
    return false;
  }
  Heard();
  if (verdict == WatchVerdict::kListComplete) CompleteList();
  if (verdict != WatchVerdict::kApply) return true;
  if (event.type == WatchEventType::kDeleted) {
    sink_.Remove(event.meta);
  } else {
    sink_.Put(event.meta, event.object);
  }
  return true;
}

void Reflector::CompleteList() {
  sink_.CompleteList();
  const std::scoped_lock lock(mutex_);
  ++stats_.lists;
}

void Reflector::Heard() {
  const std::scoped_lock lock(mutex_);
  stats_.last_heard = access_.clock.Now();
  stats_.last_failure.clear();
}

void Reflector::NoteFailure(const std::string& what) {
  {
    const std::scoped_lock lock(mutex_);
    ++stats_.failures;
    // The same trouble again is not worth a second line.
    if (std::exchange(stats_.last_failure, what) == what) return;
  }
  Log(LogLevel::kWarning, path_ + ": " + what);
}

void Reflector::Refused(const Response& response) {
  const ApiError error = ErrorFromResponse(response, "GET " + path_);
  if (error.kind == ApiErrorKind::kUnauthorized && access_.tokens) access_.tokens->Refused();
  Fail({response.status, response.retry_after}, error.message);
}

void Reflector::Fail(const RequestFailure& failure, const std::string& what) {
  NoteFailure(what);
  machine_.Failed(failure, access_.clock.Now());
}

}  // namespace evenkeel::kube
