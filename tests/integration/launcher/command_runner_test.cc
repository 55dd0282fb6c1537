// The worker's side of the launcher: the real one, and others that do not keep to the protocol.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "launcher/protocol.h"
#include "platform/file_descriptor.h"
#include "workloads/built_in.h"
#include "workloads/command/launcher_connection.h"
#include "workloads/command/task_record.h"
#include "workloads/task_directory.h"
#include "workloads/task_files.h"

namespace evenkeel::workloads::command {
namespace {

using launcher::Message;

/// The outcome of one run of a task.
struct Ran {
  TaskOutcome outcome = TaskOutcome::kStopped;
  std::string result;
  TaskFailure failure;
};

std::shared_ptr<const Workload> MakeShell(const std::string& script) {
  auto made = BuiltInWorkloads().Make("command",
                                      R"({"command": ["/bin/sh", "-c", ")" + script +
                                          R"("], "tasks": 10, "outputLimitBytes": 1048576})",
                                      {{}, false});
  EXPECT_TRUE(made) << made.error().message;
  return *made;
}

Ran RunOn(TaskRunner& runner, model::TaskIndex index = 3, const std::stop_token& stop = {}) {
  Ran ran;
  ran.outcome = runner.Run({index, 0, {}}, stop, ran.result, ran.failure);
  return ran;
}

RunnerOptions WithRealLauncher() {
  RunnerOptions options;
  options.node = "pi";
  options.job = "job";
  options.launcher_program = EVENKEEL_LAUNCHER;
  return options;
}

/// Listens on its own socket and serves one client at a time.
class FakeLauncher {
 public:
  using Talk = std::function<void(int socket)>;
  explicit FakeLauncher(Talk talk) : talk_(std::move(talk)) {
    path_ = std::filesystem::temp_directory_path() /
            ("evenkeel-fake-launcher-" + std::to_string(::getpid()));
    std::filesystem::remove(path_);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.native().copy(static_cast<char*>(address.sun_path), path_.native().size());
    listener_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    thread_ = std::thread([this] { Serve(); });
  }
  ~FakeLauncher() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
    std::filesystem::remove(path_);
  }
  [[nodiscard]] RunnerOptions Options() const {
    RunnerOptions options;
    options.launcher_socket = path_;
    options.launcher_patience = std::chrono::milliseconds(150);
    return options;
  }

 private:
  void Serve() {
    while (true) {
      const int socket = ::accept(listener_, nullptr, nullptr);
      if (socket < 0) return;
      talk_(socket);
      ::shutdown(socket, SHUT_WR);
      char byte = 0;
      while (::recv(socket, &byte, 1, 0) > 0) {  // messages of the other side must not fail
      }
      ::close(socket);
    }
  }

  Talk talk_;
  std::filesystem::path path_;
  int listener_ = -1;
  std::thread thread_;
};

void SendMessage(int socket, const Message& message) {
  std::string bytes;
  launcher::AppendFrame(message, bytes);
  ASSERT_EQ(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}

/// Reads until a request has come.
void AwaitRequest(int socket) {
  launcher::FrameReader frames;
  char bytes[4096];
  while (!frames.Next()) {
    const ssize_t count = ::recv(socket, bytes, sizeof bytes, 0);
    if (count <= 0) return;
    frames.Append({bytes, static_cast<std::size_t>(count)});
  }
}

/// Reads until a Run has come; nothing if the other side leaves first.
std::optional<launcher::Run> AwaitRun(int socket) {
  launcher::FrameReader frames;
  while (true) {
    while (const auto message = frames.Next()) {
      if (const auto* run = std::get_if<launcher::Run>(&*message)) return *run;
    }
    char bytes[4096];
    const ssize_t count = ::recv(socket, bytes, sizeof bytes, 0);
    if (count <= 0) return std::nullopt;
    frames.Append({bytes, static_cast<std::size_t>(count)});
  }
}

TEST(CommandRunner, RunsTasksInOrder) {
  const auto workload =
      MakeShell("echo $JOB_COMPLETION_INDEX $EVENKEEL_NODE; exit $((JOB_COMPLETION_INDEX % 2))");
  const auto runner = workload->MakeRunner(WithRealLauncher());
  for (model::TaskIndex index = 0; index < 10; ++index) {
    const Ran ran = RunOn(*runner, index);
    const bool good = index % 2 == 0;
    EXPECT_EQ(ran.outcome, good ? TaskOutcome::kDone : TaskOutcome::kFailed);
    EXPECT_EQ(ran.failure.reason, good ? "" : "exit code 1");
    EXPECT_EQ(ran.failure.exit_code, good ? std::nullopt : std::optional<std::int32_t>(1));
    const auto record = ReadRecord(good ? ran.result : ran.failure.record);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->ended.output, std::to_string(index) + " pi\n");
  }
}

TEST(CommandRunner, CarriesAsMuchOutputAsMayBeKept) {
  const auto workload = MakeShell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2");
  const auto runner = workload->MakeRunner(WithRealLauncher());
  for (int n = 0; n < 3; ++n) {
    const auto record = ReadRecord(RunOn(*runner).result);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->ended.output.size(), launcher::kMaxOutputBytes);
    EXPECT_EQ(record->ended.error.size(), launcher::kMaxOutputBytes);
    EXPECT_TRUE(record->ended.output_cut && record->ended.error_cut);
  }
}

TEST(CommandRunner, KeepsTheOutputOfAStoppedTask) {
  const auto mark =
      std::filesystem::temp_directory_path() / ("evenkeel-runner-" + std::to_string(::getpid()));
  const auto workload =
      MakeShell("echo begun; mkdir " + mark.native() + "; while :; do sleep 1000; done");
  const auto runner = workload->MakeRunner(WithRealLauncher());
  std::stop_source stop;
  Ran ran;
  std::thread running([&] { ran = RunOn(*runner, 0, stop.get_token()); });
  while (!std::filesystem::exists(mark)) std::this_thread::yield();
  stop.request_stop();
  running.join();
  std::filesystem::remove(mark);
  EXPECT_EQ(ran.outcome, TaskOutcome::kStopped);
  EXPECT_EQ(ran.result, "");
  const auto record = ReadRecord(ran.failure.record);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->ended.output, "begun\n");
  EXPECT_EQ(ExitCodeOf(record->ended), 143);
}

TEST(CommandRunner, ReportsAMissingLauncher) {
  RunnerOptions options;
  options.launcher_program = "/no/such/launcher";
  const auto workload = MakeShell("true");
  const Ran ran = RunOn(*workload->MakeRunner(options));
  EXPECT_EQ(ran.outcome, TaskOutcome::kFailed);
  EXPECT_EQ(ran.failure.reason,
            "the launcher /no/such/launcher cannot be started: No such file or directory");
}

TEST(CommandRunner, StopEndsTheWaitForALauncher) {
  RunnerOptions options;
  options.launcher_socket = "/no/such/socket";
  const auto workload = MakeShell("true");
  const auto runner = workload->MakeRunner(options);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(RunOn(*runner, 0, stop.get_token()).outcome, TaskOutcome::kUnable);
}

TEST(CommandRunner, AnUnavailableLauncherIsNotAFailureOfTheTask) {
  RunnerOptions options;
  options.launcher_socket = "/no/such/socket";
  options.launcher_patience = std::chrono::milliseconds(150);
  const auto workload = MakeShell("true");
  const auto runner = workload->MakeRunner(options);
  const auto ran = RunOn(*runner, 0);
  EXPECT_EQ(ran.outcome, TaskOutcome::kUnable);
  EXPECT_EQ(ran.failure.reason, "no launcher at /no/such/socket: No such file or directory");
}

TEST(CommandRunner, RejectsAServerThatIsNotALauncher) {
  struct Case {
    const char* want;
    FakeLauncher::Talk talk;
    TaskOutcome outcome = TaskOutcome::kFailed;
  };
  constexpr auto kUnable = TaskOutcome::kUnable;  // nothing was begun
  const std::vector<Case> cases{
      {"the launcher has gone", [](int) {}, kUnable},
      {"another version", [](int socket) { SendMessage(socket, launcher::Hello{77}); }, kUnable},
      {"another version", [](int socket) { SendMessage(socket, launcher::Stop{1}); }, kUnable},
      {"not of its protocol", [](int socket) { ::send(socket, "HTTP/1.1 200", 12, MSG_NOSIGNAL); },
       kUnable},
      {"the launcher has gone while a command ran",
       [](int socket) {
         SendMessage(socket, launcher::Hello{});
         static_cast<void>(AwaitRun(socket));
       }},
      {"not of its protocol",
       [](int socket) {
         SendMessage(socket, launcher::Hello{});
         static_cast<void>(AwaitRun(socket));
         ::send(socket, "\xff\xff\xff\xff\x05", 5, MSG_NOSIGNAL);
       }},
      {"an answer without a request",
       [](int socket) {
         SendMessage(socket, launcher::Hello{});
         const auto run = AwaitRun(socket);
         if (run)
           SendMessage(
               socket,
               launcher::Ended{
                   run->id + 1, launcher::Ending::kExited, 0, 0, 0, false, false, false, {}, {}});
       }},
  };
  for (const Case& each : cases) {
    const FakeLauncher launcher(each.talk);
    const auto workload = MakeShell("true");
    const auto runner = workload->MakeRunner(launcher.Options());
    for (int again = 0; again < 2; ++again) {  // it connects again
      const Ran ran = RunOn(*runner);
      EXPECT_EQ(ran.outcome, each.outcome) << each.want;
      EXPECT_NE(ran.failure.reason.find(each.want), std::string::npos)
          << ran.failure.reason << ", wanted: " << each.want;
      EXPECT_FALSE(ran.failure.exit_code);
    }
  }
}

launcher::Job ShellThatFollows(const std::string& script) {
  launcher::Job job;
  job.words = {"/bin/sh", "-c", script};
  job.output_limit = 1'000;
  job.follows_progress = true;
  return job;
}

TEST(LauncherConnection, PassesProgressOnAndLimitsACommand) {
  LauncherConnection connection;
  ASSERT_TRUE(connection.Start(EVENKEEL_LAUNCHER));
  ASSERT_TRUE(connection.Send(ShellThatFollows(
      R"(echo "done 3" >&3; read -r word last <&4; echo "$word $last"; echo "done $last" >&3)")));
  for (std::uint64_t id = 1; id <= 3; ++id) {
    ASSERT_TRUE(connection.Send(launcher::Run{id, {}, {}, {}}));
    std::vector<std::int64_t> reported;
    std::thread limiter;
    const auto ended = connection.AwaitEnd(id, [&](std::int64_t item) {
      reported.push_back(item);
      if (item == 3) limiter = std::thread([&] { connection.Limit(id, 5); });
    });
    ASSERT_TRUE(limiter.joinable());
    limiter.join();
    ASSERT_TRUE(ended) << ended.error().message;
    EXPECT_EQ(ended->output, "last 5\n");
    EXPECT_EQ(reported, (std::vector<std::int64_t>{3, 5}));
    connection.Limit(id, 1);  // it has ended
  }
}

TEST(LauncherConnection, ProgressMayBeIgnored) {
  LauncherConnection connection;
  connection.Limit(1, 5);  // there is no launcher yet
  ASSERT_TRUE(connection.Start(EVENKEEL_LAUNCHER));
  ASSERT_TRUE(connection.Send(ShellThatFollows("echo 'done 3' >&3; exit 4")));
  ASSERT_TRUE(connection.Send(launcher::Run{1, {}, {}, {}}));
  const auto ended = connection.AwaitEnd(1);
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(ended->value, 4);
}

TEST(LauncherConnection, RejectsProgressOfAnotherRun) {
  const FakeLauncher launcher([](int socket) {
    SendMessage(socket, launcher::Hello{});
    const auto run = AwaitRun(socket);
    if (!run) return;
    SendMessage(socket, launcher::Progress{run->id, 1});
    SendMessage(socket, launcher::Progress{run->id + 1, 2});
  });
  LauncherConnection connection;
  ASSERT_TRUE(connection.Connect(launcher.Options().launcher_socket, std::chrono::seconds(60), {}));
  ASSERT_TRUE(connection.Send(launcher::Run{1, {}, {}, {}}));
  std::vector<std::int64_t> reported;
  const auto ended =
      connection.AwaitEnd(1, [&reported](std::int64_t item) { reported.push_back(item); });
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message, "the launcher sent an answer without a request");
  EXPECT_EQ(reported, std::vector<std::int64_t>{1});
  EXPECT_FALSE(connection.Open());
}

/// Gives a task one input, and remembers what was stored.
class RecordedFiles final : public TaskFiles {
 public:
  Result<std::vector<InputFile>> Acquire(model::TaskIndex task, std::string_view input,
                                         const std::stop_token& stop) override {
    static_cast<void>(task), static_cast<void>(input), static_cast<void>(stop);
    if (acquire_fails) return tl::unexpected(*acquire_fails);
    ++acquired;
    return inputs;
  }
  void Release(model::TaskIndex task) override {
    static_cast<void>(task);
    --acquired;
  }
  Result<void> Store(model::TaskIndex task, std::span<const OutputFile> outputs,
                     const std::stop_token& stop) override {
    static_cast<void>(task), static_cast<void>(stop);
    if (store_fails) return tl::unexpected(*store_fails);
    stored.clear();
    for (const OutputFile& output : outputs) {
      std::string text(static_cast<std::size_t>(output.size_bytes), '\0');
      EXPECT_EQ(::pread(output.descriptor, text.data(), text.size(), 0), output.size_bytes);
      stored.push_back(output.path + "=" + text);
    }
    return {};
  }

  std::optional<Error> acquire_fails;
  std::optional<Error> store_fails;
  std::vector<InputFile> inputs;
  std::vector<std::string> stored;  // "PATH=CONTENT"
  int acquired = 0;
};

class CommandRunnerFiles : public testing::Test {
 protected:
  CommandRunnerFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "evenkeel-tasks-XXXXXX").native();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    directories_ = std::move(*TaskDirectories::Open(folder_ / "tasks"));
  }
  ~CommandRunnerFiles() override { std::filesystem::remove_all(folder_); }

  Ran Run(const std::string& script, RunnerOptions options = WithRealLauncher()) {
    auto made = BuiltInWorkloads().Make("command",
                                        R"({"command": ["/bin/sh", "-c", ")" + script +
                                            R"("], "tasks": 10, "outputs": ["out", "more/*"]})",
                                        {{}, false});
    EXPECT_TRUE(made) << made.error().message;
    options.files = &files_;
    options.task_directories = directories_.get();
    return RunOn(*(*made)->MakeRunner(options));
  }

  [[nodiscard]] bool NothingIsLeft() const {
    return std::filesystem::is_empty(folder_ / "tasks") && files_.acquired == 0;
  }

  /// Serves one run of a command that exits with 0, and then `talk`.
  static FakeLauncher::Talk After(const FakeLauncher::Talk& talk) {
    return [talk](int socket) {
      SendMessage(socket, launcher::Hello{});
      const auto run = AwaitRun(socket);
      if (!run) return;
      launcher::Ended ended;
      ended.id = run->id;
      SendMessage(socket, ended);
      talk(socket);
    };
  }

  std::filesystem::path folder_;
  std::unique_ptr<TaskDirectories> directories_;
  RecordedFiles files_;
};

TEST_F(CommandRunnerFiles, AreStoredByPath) {
  const Ran ran = Run("mkdir more; printf 1 > out; printf 2 > more/b; printf 3 > more/a");
  EXPECT_EQ(ran.outcome, TaskOutcome::kDone) << ran.failure.reason;
  EXPECT_EQ(files_.stored, (std::vector<std::string>{"more/a=3", "more/b=2", "out=1"}));
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(CommandRunnerFiles, OnlyWrongFilesAreAFailureOfTheTask) {
  const std::pair<ErrorCode, TaskOutcome> kCases[] = {
      {ErrorCode::kInvalidInput, TaskOutcome::kFailed},
      {ErrorCode::kStorageFull, TaskOutcome::kUnable},
      {ErrorCode::kUnavailable, TaskOutcome::kUnable}};
  for (const auto& [code, outcome] : kCases) {
    files_.acquire_fails = Error{code, "the reason"};
    Ran ran = Run("true");
    EXPECT_EQ(ran.outcome, outcome);
    EXPECT_EQ(ran.failure.reason, "the reason");
    EXPECT_TRUE(ran.failure.record.empty());
    files_.acquire_fails.reset();
    files_.store_fails = Error{code, "the reason"};
    ran = Run("echo said; : > out");
    EXPECT_EQ(ran.outcome, outcome);
    EXPECT_EQ(ran.failure.reason, "the reason");
    EXPECT_EQ(ReadRecord(ran.failure.record).value().ended.output, "said\n");
    files_.store_fails.reset();
    EXPECT_TRUE(NothingIsLeft());
  }
}

TEST_F(CommandRunnerFiles, AFailedCommandStoresNothing) {
  const Ran ran = Run(": > out; exit 3");
  EXPECT_EQ(ran.outcome, TaskOutcome::kFailed);
  EXPECT_EQ(ran.failure.exit_code, 3);
  EXPECT_TRUE(files_.stored.empty());
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(CommandRunnerFiles, LeftoversOfAnEarlierProcessAreRemoved) {
  std::filesystem::create_directories(folder_ / "tasks/abc/deep");
  std::filesystem::permissions(folder_ / "tasks/abc/deep", std::filesystem::perms::none);
  directories_ = std::move(*TaskDirectories::Open(folder_ / "tasks"));
  EXPECT_EQ(Run(": > out").outcome, TaskOutcome::kDone);
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(CommandRunnerFiles, AWorkerWithoutFilesCannotRunTheTask) {
  const auto made = BuiltInWorkloads().Make(
      "command", R"({"command": ["true"], "tasks": 1, "outputs": ["a"]})", {{}, false});
  const Ran ran = RunOn(*(*made)->MakeRunner(WithRealLauncher()));
  EXPECT_EQ(ran.outcome, TaskOutcome::kUnable);
  EXPECT_EQ(ran.failure.reason, "this worker has no files for tasks");
}

/// Sends an answer with a descriptor.
void SendWith(int socket, const Message& message, int descriptor) {
  std::string bytes;
  launcher::AppendFrame(message, bytes);
  iovec piece{bytes.data(), bytes.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  EXPECT_EQ(::sendmsg(socket, &header, MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

TEST_F(CommandRunnerFiles, ALauncherThatACommandControlsCanOfferOnlyRegularFiles) {
  struct Case {
    const char* want;
    FakeLauncher::Talk talk;
    TaskOutcome outcome = TaskOutcome::kFailed;
  };
  const auto offer = [](const char* path) {
    return [path](int socket) {
      AwaitRequest(socket);
      SendMessage(socket, launcher::FoundFiles{});
      AwaitRequest(socket);
      const launcher::OpenAnswer found{launcher::FileStatus::kFound, 0};
      if (path == nullptr) return SendMessage(socket, found);
      const platform::FileDescriptor file(::open(path, O_RDONLY | O_CLOEXEC));
      SendWith(socket, found, file.Get());
    };
  };
  const std::vector<Case> cases{
      {"output out must be a regular file", offer("/dev/zero")},
      {"output out must be a regular file", offer("/")},
      {"output out cannot be read: Too many open files", offer(nullptr)},
      {"not of its protocol",
       [](int socket) {
         launcher::FoundFiles outside;
         outside.paths = {"../../etc/passwd"};
         AwaitRequest(socket);
         SendMessage(socket, outside);
       },
       TaskOutcome::kUnable},
      {"an answer to another request",
       [](int socket) {
         AwaitRequest(socket);
         SendMessage(socket, launcher::RemoveAnswer{});
       },
       TaskOutcome::kUnable},
      {"the launcher has gone", [](int) {}, TaskOutcome::kUnable},
  };
  for (const Case& each : cases) {
    // Without the directory that the last launcher has not removed.
    std::filesystem::remove_all(folder_ / "tasks");
    directories_ = std::move(*TaskDirectories::Open(folder_ / "tasks"));
    const FakeLauncher launcher(After(each.talk));
    const Ran ran = Run("true", launcher.Options());
    EXPECT_EQ(ran.outcome, each.outcome) << each.want;
    EXPECT_NE(ran.failure.reason.find(each.want), std::string::npos)
        << ran.failure.reason << ", wanted: " << each.want;
    EXPECT_EQ(files_.acquired, 0);
    EXPECT_TRUE(files_.stored.empty());
  }
}

}  // namespace
}  // namespace evenkeel::workloads::command
