#include "tests/support/fake_api/connection_service.h"

#include "tests/support/fake_api/rest_answers.h"
#include "tests/support/fake_api/watch_answers.h"

namespace evenkeel::support {
namespace {

/// The entry of a request in the log; its address stays good. Lock held.
SeenRequest& Note(FakeApiWorld& world, const HttpRequest& request) {
  world.requests.push_back({request.method, request.target, request.Header("content-type"),
                            request.Header("authorization"), request.Header("user-agent"),
                            request.body, 0});
  world.changed.notify_all();
  return world.requests.back();
}

bool IsAdmitted(const FakeApiWorld& world, const SeenRequest& seen) {
  if (world.accepted_tokens.empty()) return true;
  const std::string scheme = "Bearer ";
  return seen.authorization.starts_with(scheme) &&
         world.accepted_tokens.contains(seen.authorization.substr(scheme.size()));
}

/// Waits for the delay of the fault; false: the server shuts down meanwhile. Lock held.
bool Delay(FakeApiWorld& world, std::unique_lock<std::mutex>& lock, Duration delay) {
  return !world.changed.wait_for(lock, delay, [&world] { return world.down; });
}

/// Answers one request. False: the connection ends.
bool ServeRequest(FakeApiWorld& world, Connection& connection, const HttpRequest& request) {
  std::unique_lock lock(world.mutex);
  SeenRequest& seen = Note(world, request);
  const std::optional<Fault> fault = TakeFault(world, request);
  if (fault && !Delay(world, lock, fault->delay)) return false;
  if (fault && fault->reset) {
    connection.ResetAtEnd();
    return false;
  }
  if (fault && !fault->raw_answer.empty()) {
    lock.unlock();
    (void)connection.Write(fault->raw_answer);
    return false;
  }
  RestAnswer answer;
  if (fault && fault->status != 0) {
    answer = Refusal(fault->status, "told to fail", fault->reason);
  } else if (!IsAdmitted(world, seen)) {
    answer = Refusal(401, "Unauthorized");
  } else if (request.IsWatch()) {
    lock.unlock();
    return ServeWatch(world, connection, request, seen);
  } else {
    answer = AnswerRest(world.store, request);
    world.changed.notify_all();
  }
  seen.status = answer.status;
  lock.unlock();
  return WriteAnswer(connection, answer.status, answer.body.dump(),
                     fault ? fault->retry_after_seconds : std::nullopt,
                     fault ? fault->cut_body_after : std::nullopt);
}

}  // namespace

void ServeConnection(FakeApiWorld& world, Connection& connection) {
  if (!connection.Open()) return;
  std::string rest;
  while (const auto request = ReadRequest(connection, rest)) {
    if (!ServeRequest(world, connection, *request)) return;
  }
}

}  // namespace evenkeel::support
