#include "worker/worker_main.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>

#include "core/base/clock.h"
#include "core/protocol/tls_cipher.h"
#include "core/protocol/tls_credentials.h"
#include "platform/files.h"
#include "platform/signals.h"
#include "worker/worker_process.h"

namespace evenkeel::worker {
namespace {

constexpr int kBadUsage = 2;
constexpr std::size_t kMaxPemBytes = 256 << 10;
// The user's image may have to be fetched over a slow line first.
constexpr Duration kLauncherPatience = std::chrono::minutes(30);
constexpr Duration kBetweenAttempts = std::chrono::milliseconds(200);

struct CommandLine {
  WorkerOptions options;
  std::string tls_ca;
  std::string tls_certificate;
  std::string tls_key;
  double give_up_seconds = 0;
  double drain_seconds = 20;
  double launcher_seconds = 30;
  bool local = false;
};

void Describe(CLI::App& app, CommandLine& line) {
  constexpr double kLongestSeconds = 1e6;
  WorkerOptions& options = line.options;
  app.add_option("--coordinator", options.connection.address, "HOST:PORT")->required();
  app.add_option("--node", options.node, "Name of this node")->required();
  app.add_option("--workload", options.workload, "Name of the workload")->required();
  app.add_option("--threads", options.threads, "Tasks at a time")->check(CLI::Range(1, 4096));
  app.add_option("--ratio", options.ratio,
                 "Weight of this node relative to the lightest, should the job not know it")
      ->check(CLI::Range(1e-6, engine::kMaxRatio));
  app.add_option("--speed", options.speed, "Speed of this node for workloads that sleep")
      ->check(CLI::Range(1e-6, 1e6));
  app.add_option("--duty-cycle", options.share,
                 "Share of a core for each thread, kept to by pausing")
      ->check(CLI::Range(1e-3, 1.0));
  app.add_option("--launcher-socket", options.launcher_socket,
                 "Where the launcher of commands listens (default: one is started here)");
  app.add_option("--launcher-patience", line.launcher_seconds,
                 "Seconds that the launcher may be away before this worker leaves (default: 30)")
      ->check(CLI::Range(1e-3, kLongestSeconds));
  app.add_option("--launcher-program", options.launcher_program,
                 "The launcher to be started (default: evenkeel-launcher beside this program)");
  app.add_option("--local-files", options.local_files,
                 "File that says where the input and output files of a local run are");
  app.add_flag("--read-blocks-locally", options.reads_blocks_locally,
               "Read input data from the coordinator's files, which are on this machine, instead "
               "of fetching blocks");
  app.add_option("--file-cache", options.file_cache,
                 "Folder of the cache of input files that come from the coordinator");
  app.add_option("--persistent-file-cache", options.persistent_file_cache,
                 "Folder of a cache that outlives this worker; --file-cache takes its place if it "
                 "cannot be written");
  app.add_option("--file-cache-bytes", options.file_cache_bytes, "Bytes that the cache may have")
      ->check(CLI::Range(std::int64_t{1} << 10, std::int64_t{1} << 60));
  app.add_option("--task-folder", options.task_folder,
                 "Folder of the directories of tasks with files from the coordinator");
  app.add_option("--memory-limit", options.memory_limit,
                 "Bytes of memory to use (default: what the control group or the machine allows)")
      ->check(CLI::Range(std::int64_t{1} << 20, std::int64_t{1} << 50));
  app.add_option(
         "--task-memory", options.task_memory,
         "Bytes of memory that tasks may use together, if their control group is another one")
      ->check(CLI::Range(std::int64_t{1} << 20, std::int64_t{1} << 50));
  app.add_option("--peer-name", options.peer_name,
                 "Name in the certificates of all workers of the job");
  app.add_option("--peer-port", options.peer_port,
                 "Port to serve other workers of the job on (default: any)");
  app.add_option("--give-up-after", line.give_up_seconds,
                 "Seconds to look for a lost coordinator (default: for ever)")
      ->check(CLI::Range(1e-3, kLongestSeconds));
  app.add_option("--drain-grace", line.drain_seconds,
                 "Seconds that running tasks get after SIGTERM (default: 20)")
      ->check(CLI::Range(0.0, kLongestSeconds));
  auto* ca = app.add_option("--tls-ca", line.tls_ca, "File: who may be trusted (PEM)");
  auto* cert = app.add_option("--tls-cert", line.tls_certificate, "File: who we are (PEM)");
  auto* key = app.add_option("--tls-key", line.tls_key, "File: our key (PEM)");
  ca->needs(cert)->needs(key);
  cert->needs(ca);
  key->needs(ca);
  app.add_flag("--local", line.local, "Belong to the parent: ignore SIGINT, end when it ends");
  app.footer(
      "The coordinator's token is taken from the environment variable EVENKEEL_TOKEN.\n"
      "Exit codes: 0 done, 1 failed, 2 bad usage, 3 refused, 4 no coordinator.");
}

/// Neither the children of tasks nor /proc/PID/environ are to show it.
std::string TakeToken() {
  char* const found = std::getenv("EVENKEEL_TOKEN");
  if (found == nullptr) return {};
  std::string token = found;
  std::fill(found, found + token.size(), '*');
  ::unsetenv("EVENKEEL_TOKEN");
  return token;
}

Result<void> Complete(CommandLine& line) {
  WorkerOptions& options = line.options;
  if (std::isnan(options.ratio)) return InvalidInput("--ratio: must be a number");
  options.token = TakeToken();
  options.drain_grace = FromSeconds(line.drain_seconds);
  options.launcher_patience = FromSeconds(line.launcher_seconds);
  if (line.give_up_seconds > 0) options.give_up_after = FromSeconds(line.give_up_seconds);
  if (line.tls_ca.empty()) return {};
  protocol::PreferFasterTlsCipher();
  protocol::TlsIdentity identity;
  for (auto [path, text] : {std::pair(&line.tls_ca, &identity.ca_pem),
                            std::pair(&line.tls_certificate, &identity.certificate_pem),
                            std::pair(&line.tls_key, &identity.key_pem)}) {
    auto read = platform::ReadRegularFile(*path, kMaxPemBytes);
    if (!read) return tl::unexpected(read.error());
    if (read->empty()) return InvalidInput(*path + ": is empty");
    *text = std::move(*read);
  }
  identity.files = std::make_shared<protocol::WatchedTlsFiles>(
      protocol::TlsPaths{line.tls_ca, line.tls_certificate, line.tls_key});
  options.connection.tls = std::move(identity);
  return {};
}

/// 0, or the errno of what was wrong.
int ConnectOnce(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
  path.copy(static_cast<char*>(address.sun_path), path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return errno;
  const auto* const any = reinterpret_cast<const sockaddr*>(&address);
  const int error = ::connect(socket, any, sizeof address) == 0 ? 0 : errno;
  ::close(socket);
  return error;
}

/// Waits until a process listens at this Unix socket, or until `stop`. kUnavailable: none did
/// within `patience`.
Result<void> AwaitSocket(const std::filesystem::path& path, Duration patience,
                         const std::stop_token& stop) {
  const auto until = std::chrono::steady_clock::now() + patience;
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (const int error = ConnectOnce(path.native())) {
    if (std::chrono::steady_clock::now() >= until) {
      return Fail(ErrorCode::kUnavailable, "no launcher at " + path.native() + ": " +
                                               std::generic_category().message(error));
    }
    stopped.wait_for(lock, stop, kBetweenAttempts, [] { return false; });
    if (stop.stop_requested()) return {};
  }
  return {};
}

/// For workers that are children of a local run: Ctrl-C in the terminal reaches the whole process
/// group and is handled by the parent, and no worker outlives the thread that started it, even if
/// that is killed. Ends the process if the parent dies meanwhile.
void BelongToParent() {
  const pid_t parent = ::getppid();
  ::signal(SIGINT, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before prctl.
  if (::getppid() != parent) std::_Exit(128 + SIGKILL);
}

platform::BlockedSignals BlockStopSignals() {
  if (platform::IsIgnored(SIGINT)) return platform::BlockedSignals({SIGTERM});
  return platform::BlockedSignals({SIGTERM, SIGINT});
}

int Work(CommandLine line, const workloads::Registry& registry) {
  if (line.local) BelongToParent();
  platform::BlockedSignals signals = BlockStopSignals();
  const SteadyClock clock;
  auto process =
      Complete(line).and_then([&] { return WorkerProcess::Make(line.options, registry, clock); });
  if (!process) {
    std::fprintf(stderr, "evenkeel-worker: %s\n", process.error().message.c_str());
    return kBadUsage;
  }
  std::stop_source stop;
  // The first signal drains the worker; a second one ends the process at once.
  const platform::SignalThread signal_thread(signals, {[&, stopping = false](int signal) mutable {
                                               if (stopping) std::_Exit(128 + signal);
                                               stopping = true;
                                               stop.request_stop();
                                               (*process)->Drain();
                                             }});
  const std::filesystem::path& launcher = line.options.launcher_socket;
  if (!launcher.empty()) {
    // Work that is taken before commands can be started would only wait here.
    const auto there = AwaitSocket(launcher, kLauncherPatience, stop.get_token());
    if (!there) {
      std::fprintf(stderr, "evenkeel-worker on %s: %s\n", line.options.node.c_str(),
                   there.error().message.c_str());
      return static_cast<int>(WorkerExit::kFailed);
    }
  }
  const WorkerEnd end = (*process)->Run();
  if (end.exit != WorkerExit::kDone) {
    std::fprintf(stderr, "evenkeel-worker on %s: %s\n", line.options.node.c_str(),
                 end.reason.c_str());
  }
  return static_cast<int>(end.exit);
}

}  // namespace

int WorkerMain(int argc, char** argv, const workloads::Registry& registry) {
  CommandLine line;
  CLI::App app("Runs tasks of one job on this node", "evenkeel-worker");
  Describe(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadUsage;
  }
  return Work(std::move(line), registry);
}

}  // namespace evenkeel::worker
