#include "coordinator/service/pages_handler.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "coordinator/run_results.h"
#include "coordinator/service/health_handler.h"
#include "coordinator/service/job_status.h"
#include "platform/text.h"

namespace evenkeel::coordinator {
namespace {

constexpr const char* kPlainBytes = "application/octet-stream";
constexpr std::string_view kResults = "/results/";
constexpr std::string_view kFiles = "/files/";
constexpr std::string_view kFrom = "from=";
constexpr std::array<std::string_view, 4> kPages = {"summary.json", "timeline.jsonl", "report.html",
                                                    "metrics.prom"};

std::string TypeOf(const std::string& name) {
  const std::string ending = std::filesystem::path(name).extension().string();
  if (ending == ".json") return "application/json";
  if (ending == ".jsonl") return "application/jsonl";
  if (ending == ".html") return "text/html; charset=utf-8";
  if (ending == ".csv") return "text/csv; charset=utf-8";
  if (ending == ".prom" || ending == ".txt") return "text/plain; charset=utf-8";
  return kPlainBytes;
}

http::HttpResponse TextAnswer(const std::string& name, Result<std::string> text) {
  if (!text) return http::PlainAnswer(503, text.error().message);
  http::HttpResponse response;
  response.content_type = TypeOf(name);
  response.body = std::move(*text);
  return response;
}

http::HttpResponse JsonAnswer(const nlohmann::json& value) {
  http::HttpResponse response;
  response.content_type = "application/json";
  response.body = value.dump() + "\n";
  return response;
}

/// The tasks that have output files; `query` says where the list begins.
http::HttpResponse TaskList(const workloads::StoredOutputs& outputs, std::string_view query) {
  std::optional<model::TaskIndex> first = 0;
  if (query.starts_with(kFrom)) {
    first = workloads::StoredOutputs::TaskOf(query.substr(kFrom.size()));
  } else if (!query.empty()) {
    first.reset();
  }
  constexpr model::TaskIndex kMaxFirst = std::numeric_limits<model::TaskIndex>::max() / 2;
  if (!first || *first > kMaxFirst) return http::PlainAnswer(400, "must be /files/?from=INDEX");
  const auto stored = outputs.TasksFrom(*first);
  if (!stored) return http::PlainAnswer(500, stored.error().message);
  nlohmann::json list{{"tasks", nlohmann::json::array()}};
  stored->tasks.ForEach([&list](model::IndexRange range) {
    list["tasks"].push_back({range.begin, range.end - 1});
  });
  if (stored->next) list["next"] = *stored->next;
  return JsonAnswer(list);
}

http::HttpResponse FileList(const workloads::StoredOutputs& outputs, model::TaskIndex task) {
  const auto files = outputs.FilesOf(task);
  if (!files) return http::PlainAnswer(500, files.error().message);
  if (!*files) return http::NotFound();
  nlohmann::json list = nlohmann::json::array();
  for (const workloads::StoredFile& file : **files) {
    list.push_back({{"path", platform::EncodePercent(file.path, "/")}, {"bytes", file.size_bytes}});
  }
  return JsonAnswer(list);
}

http::HttpResponse OutputFile(const workloads::StoredOutputs& outputs, model::TaskIndex task,
                              std::string_view path) {
  platform::FileDescriptor file = outputs.Open(task, path);
  if (!file.IsOpen()) return http::NotFound();
  http::HttpResponse response;
  response.file = http::ServedFile::Take(file.Release());
  // No page of the user's command runs its scripts beside ours.
  response.content_type = kPlainBytes;
  return response;
}

}  // namespace

http::HttpResponse PagesHandler::Handle(const http::HttpRequest& request) {
  if (!http::IsRead(request)) return http::NotAllowed("GET, HEAD");
  if (auto live = live_page_.Handle(request)) return *std::move(live);
  if (request.target.starts_with(kFiles)) return OutputFiles(request.target);
  const auto path = http::PathOf(request.target);
  return path ? Page(*path) : http::PlainAnswer(400, "is no path");
}

http::HttpResponse PagesHandler::Page(const std::string& path) {
  const auto status = board_.Read();
  if (path == kResults) {
    http::HttpResponse response;
    response.content_type = "application/json";
    response.body = ListJson(ResultFiles(folder_));
    return response;
  }
  if (path.rfind(kResults, 0) == 0) return ResultFile(path.substr(kResults.size()));
  const std::string name = path.substr(1);
  if (std::find(kPages.begin(), kPages.end(), name) == kPages.end()) return http::NotFound();
  const bool running = status->state == model::JobState::kRunning && !status->blocked;
  return running ? Live(name) : FromFolder(name);
}

// Unlike other paths (http::PathOf), those of output files need not be printable: StoredOutputs
// takes any.
http::HttpResponse PagesHandler::OutputFiles(std::string_view target) const {
  target = target.substr(kFiles.size());
  const std::size_t question = std::min(target.find('?'), target.size());
  const auto path = platform::DecodePercent(target.substr(0, question));
  if (!path) return http::PlainAnswer(400, "is no path");
  if (path->empty())
    return TaskList(outputs_, target.substr(std::min(question + 1, target.size())));
  const std::size_t slash = path->find('/');
  const auto task = workloads::StoredOutputs::TaskOf(path->substr(0, slash));
  if (!task) return http::NotFound();
  if (slash == std::string::npos) return FileList(outputs_, *task);
  return OutputFile(outputs_, *task, std::string_view(*path).substr(slash + 1));
}

http::HttpResponse PagesHandler::Live(const std::string& name) {
  if (name == "metrics.prom") return MetricsAnswer(metrics_, board_, folder_);
  if (name == "report.html") return TextAnswer(name, live_.Html());
  if (name == "summary.json") return TextAnswer(name, live_.Summary());
  if (const auto made = live_.RefreshTimeline(); !made) {
    return http::PlainAnswer(503, made.error().message);
  }
  return FromFolder(name);
}

// The name must be one of a list, so there is nothing that it could be made to lead to.
http::HttpResponse PagesHandler::ResultFile(const std::string& name) const {
  const auto names = ResultFiles(folder_);
  if (!std::binary_search(names.begin(), names.end(), name)) return http::NotFound();
  const std::string folder = std::string(kReduceFolder) + "/";
  if (!name.starts_with(folder)) return FromFolder(name);
  http::HttpResponse response;
  response.file = http::ServedFile::Open(folder_ / kReduceFolder, name.substr(folder.size()));
  if (!response.file) return http::NotFound();
  // No page of the user's command runs its scripts beside ours.
  response.content_type = kPlainBytes;
  return response;
}

http::HttpResponse PagesHandler::FromFolder(const std::string& name) const {
  http::HttpResponse response;
  response.file = http::ServedFile::Open(folder_, name);
  response.content_type = TypeOf(name);
  if (response.file) return response;
  const auto status = board_.Read();
  const std::string because = status->reason.empty() ? "" : ": " + status->reason;
  return http::PlainAnswer(503,
                           name + " is not there yet; the job is " + StateText(*status) + because);
}

}  // namespace evenkeel::coordinator
