#include <cstdint>
#include <string>

#include "cluster/job_plan_json.h"
#include "cluster/job_status_json.h"
#include "cluster/node_and_pod_json.h"
#include "cluster/weighted_job_json.h"
#include "core/base/check.h"
#include "kubernetes/client.h"
#include "kubernetes/line_stream.h"
#include "kubernetes/reflector.h"

namespace evenkeel::kube {
namespace {

/// An API server that gives the same answer to everything.
class FixedTransport final : public Transport {
 public:
  FixedTransport(int status, std::string_view body) : status_(status), body_(body) {}

  Result<Response> Send(const Request&) override { return Response{status_, body_, {}}; }
  Result<Response> Stream(const Request&, LineSink& sink, std::stop_token) override {
    LineSplitter lines(4096);
    (void)lines.Feed(body_, sink);
    return Response{status_, {}, {}};
  }

 private:
  const int status_;
  const std::string body_;
};

/// An object of any kind, as the operator and the labeller read theirs.
void ReadObject(const Json& object) {
  (void)cluster::ReadNode(object);
  (void)cluster::ReadPod(object);
  (void)cluster::ReadJobPlan(object);
  (void)cluster::ReadSnapshotView(object);
  (void)cluster::ReadWeightingPolicy(object);
  const cluster::WeightedJob job = cluster::ReadWeightedJob(object);
  const Json status = cluster::StatusJson(cluster::ReadStatus(MemberOf(object, "status")));
  EVENKEEL_CHECK(cluster::StatusJson(cluster::ReadStatus(status)) == status,
                 "a status that was written is read as it was");
}

/// Feeds the lines of a watch to the machine of a reflector.
class WatchedLines final : public LineSink {
 public:
  bool OnLine(std::string_view line) override {
    const auto event = ReadWatchEvent(line);
    if (!event) return false;
    if (event->object.is_object()) ReadObject(event->object);
    return machine_.Saw(*event) != WatchVerdict::kStop;
  }
  [[nodiscard]] ReflectorMachine& machine() { return machine_; }

 private:
  ReflectorMachine machine_{{}, 1};
};

void TryAnswer(int status, std::string_view body) {
  const Instant now{std::chrono::seconds(100)};
  FixedTransport transport(status, body);
  ClientOptions options;
  options.retry.max_attempts = 1;
  const Client client(transport, options);
  const Resource nodes{"", "v1", "nodes", false};
  (void)client.Get(nodes, "", "a");
  (void)client.List(nodes, "");
  (void)client.Apply(nodes, "", "a", Json::object(), {"evenkeel", true});
  WatchedLines lines;
  (void)lines.machine().Next();
  lines.machine().Started(now);
  (void)client.Watch(nodes, "", {}, std::chrono::seconds(1), lines, {});
  lines.machine().StreamEnded(now);
  (void)lines.machine().Next();
}

}  // namespace
}  // namespace evenkeel::kube

/// An answer of an API server: a list, the lines of a watch, an object, or an error. The first byte
/// is the status.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evenkeel::kube;
  static constexpr int kStatus[] = {200, 201, 400, 403, 404, 409, 410, 422, 429, 500, 503};
  if (size == 0) return 0;
  const std::string body(reinterpret_cast<const char*>(data + 1), size - 1);
  TryAnswer(kStatus[data[0] % std::size(kStatus)], body);
  const auto page =
      ReadPage(body, [](const ObjectMeta&, const Json& object) { ReadObject(object); });
  EVENKEEL_CHECK(!page || page->items >= 0, "a page has no negative number of items");
  return 0;
}
