// A coordinator with many workers over mutual TLS, in two processes, so that the memory of the
// first can be read from outside.
//   many_streams serve FOLDER CA CERT KEY WORKERS   prints "port N", then "joined N done N" lines;
//                                                   ends when its standard input is closed
//   many_streams work HOST:PORT CA CERT KEY WORKERS runs that many workers until the job ends
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "coordinator/job_run.h"
#include "core/base/clock.h"
#include "worker/worker_process.h"
#include "workloads/built_in.h"

namespace {

using evenkeel::protocol::TlsIdentity;

constexpr const char* kWorkload = "synthetic";
// 10,000,000 tasks of a second: every worker is busy, reports and is given more.
constexpr const char* kParameters =
    R"({"tasks":10000000,"cost":{"constant":1},"mode":"Sleep","costsKnown":false})";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TlsIdentity ReadIdentity(char** paths) {
  return {ReadFile(paths[0]), ReadFile(paths[1]), ReadFile(paths[2])};
}

std::string NodeName(int number) { return "node-" + std::to_string(number); }

int Fail(const std::string& why) {
  std::fprintf(stderr, "many_streams: %s\n", why.c_str());
  return 1;
}

class ProgressLines final : public evenkeel::coordinator::RunObserver {
 public:
  void OnProgress(const evenkeel::engine::Progress& progress) override {
    const auto joined =
        std::count_if(progress.nodes.begin(), progress.nodes.end(),
                      [](const auto& node) { return node.connected && node.completed > 0; });
    std::printf("joined %lld done %lld\n", static_cast<long long>(joined),
                static_cast<long long>(progress.tasks_completed));
    std::fflush(stdout);
  }
  evenkeel::Duration ProgressInterval() const override { return std::chrono::seconds(1); }
};

int Serve(const std::string& folder, TlsIdentity identity, int workers) {
  evenkeel::coordinator::JobRunConfig config;
  evenkeel::model::JobSpec job;
  job.name = "many-streams";
  job.workload = kWorkload;
  job.workload_parameters = kParameters;
  job.max_workers = workers;
  auto workload = evenkeel::workloads::BuiltInWorkloads().Make(kWorkload, kParameters, {});
  if (!workload) return Fail(workload.error().message);
  config.version = std::make_shared<const evenkeel::coordinator::JobVersion>(job, *workload);
  for (int i = 0; i < workers; ++i) config.nodes.push_back({NodeName(i), 1.0});
  config.folder = folder;
  config.server.tls = std::move(identity);
  config.started = evenkeel::SteadyClock().Now();
  auto run = evenkeel::coordinator::JobRun::Open(std::move(config));
  if (!run) return Fail(run.error().message);
  std::printf("port %u\n", (*run)->Port());
  std::fflush(stdout);
  std::thread interrupt([&run] {
    while (std::getchar() != EOF) {
    }
    (*run)->Interrupt("told to stop");
    (*run)->Interrupt("at once");
  });
  ProgressLines lines;
  const auto end = (*run)->Run(&lines);
  interrupt.join();
  return end.state == evenkeel::model::JobState::kFailed ? Fail(end.reason) : 0;
}

int Work(const std::string& address, const TlsIdentity& identity, int workers) {
  const evenkeel::SteadyClock clock;
  const auto registry = evenkeel::workloads::BuiltInWorkloads();
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) {
    evenkeel::worker::WorkerOptions options;
    options.connection.address = address;
    options.connection.tls = identity;
    options.connection.connect_timeout = std::chrono::seconds(60);
    options.node = NodeName(i);
    options.workload = kWorkload;
    options.give_up_after = std::chrono::seconds(60);
    threads.emplace_back([&clock, &registry, options] {
      if (auto worker = evenkeel::worker::WorkerProcess::Make(options, registry, clock)) {
        static_cast<void>((*worker)->Run());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) return Fail("wrong number of arguments");
  const std::string what = argv[1];
  const int workers = std::atoi(argv[6]);
  if (what == "serve") return Serve(argv[2], ReadIdentity(argv + 3), workers);
  if (what == "work") return Work(argv[2], ReadIdentity(argv + 3), workers);
  return Fail("serve or work");
}
