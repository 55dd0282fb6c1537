#include "workloads/command/launcher_connection.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <system_error>
#include <utility>
#include <variant>

#include "platform/process.h"

namespace evenkeel::workloads::command {
namespace {

using launcher::Message;

constexpr std::chrono::milliseconds kBetweenAttempts{100};
constexpr std::size_t kReceiveBytes = 64 << 10;
constexpr int kLaunchersDescriptor = 3;
constexpr const char* kLaunchersName = "evenkeel-launcher";

std::string SystemText(int error) { return std::generic_category().message(error); }

/// A connected socket, or -1 and errno.
int ConnectTo(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  path.native().copy(static_cast<char*>(address.sun_path), path.native().size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto* const any = reinterpret_cast<const sockaddr*>(&address);
  if (socket < 0 || ::connect(socket, any, sizeof address) == 0) return socket;
  const int error = errno;
  ::close(socket);
  errno = error;
  return -1;
}

void WaitBetweenAttempts(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, kBetweenAttempts, [] { return false; });
}

std::filesystem::path DefaultLauncherPath() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).replace_filename(kLaunchersName);
}

}  // namespace

Result<void> LauncherConnection::Connect(const std::filesystem::path& path,
                                         std::chrono::milliseconds timeout,
                                         const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const auto connected = ConnectOnce(path);
    // A launcher that is starting or ending may close a connection that it has accepted.
    const bool may_retry = !connected && connected.error().code == ErrorCode::kUnavailable;
    if (!may_retry || stop.stop_requested() || std::chrono::steady_clock::now() >= deadline) {
      return connected;
    }
    WaitBetweenAttempts(stop);
  }
}

Result<void> LauncherConnection::ConnectOnce(const std::filesystem::path& path) {
  socket_ = ConnectTo(path);
  const int error = errno;
  if (socket_ >= 0) return Handshake();
  return Fail(ErrorCode::kUnavailable,
              "no launcher at " + path.string() + ": " + SystemText(error));
}

Result<void> LauncherConnection::Start(std::filesystem::path program) {
  if (program.empty()) program = DefaultLauncherPath();
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Fail(ErrorCode::kUnavailable, "no socket for the launcher: " + SystemText(errno));
  }
  socket_ = ends[0];
  const auto pid = platform::StartProcess(
      {.command = {program.native(), "serve", "--fd", std::to_string(kLaunchersDescriptor)},
       .own_process_group = true,
       .descriptors = {{ends[1], kLaunchersDescriptor}}});
  ::close(ends[1]);
  if (pid) {
    launcher_ = *pid;
    return Handshake();
  }
  Close();
  return Fail(pid.error().code, "the launcher " + pid.error().message);
}

void LauncherConnection::Close() {
  const int socket = [this] {
    const std::lock_guard lock(sending_);
    return std::exchange(socket_, -1);
  }();
  if (socket >= 0) ::close(socket);
  incoming_ = {};
  const pid_t launcher = std::exchange(launcher_, -1);
  while (launcher > 0 && ::waitpid(launcher, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<void> LauncherConnection::Handshake() {
  if (auto sent = Send(launcher::Hello{}); !sent) return sent;
  auto answer = Receive();
  if (!answer) return tl::unexpected(answer.error());
  const auto* const hello = std::get_if<launcher::Hello>(&*answer);
  if (hello != nullptr && hello->version == launcher::kVersion) return {};
  Close();
  return Fail(ErrorCode::kInternal, "the launcher speaks another version of the protocol");
}

Result<void> LauncherConnection::Send(const Message& message) {
  std::string bytes;
  launcher::AppendFrame(message, bytes);
  const auto sent = [&]() -> bool {
    const std::lock_guard lock(sending_);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      done += static_cast<std::size_t>(count);
    }
    return true;
  }();
  if (sent) return {};
  Close();
  return Fail(ErrorCode::kUnavailable, "the launcher has gone");
}

Result<Message> LauncherConnection::Receive() {
  std::array<char, kReceiveBytes> bytes;
  while (true) {
    if (auto message = incoming_.Next()) return std::move(*message);
    if (incoming_.Broken()) {
      Close();
      return Fail(ErrorCode::kInternal, "the launcher sent a message that is not of its protocol");
    }
    const ssize_t count = ReceiveSome(bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      Close();
      return Fail(ErrorCode::kUnavailable, "the launcher has gone while a command ran");
    }
    incoming_.Append({bytes.data(), static_cast<std::size_t>(count)});
  }
}

ssize_t LauncherConnection::ReceiveSome(std::span<char> bytes) {
  iovec buffer{bytes.data(), bytes.size()};
  msghdr message{};
  message.msg_iov = &buffer;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t count = ::recvmsg(socket_, &message, MSG_CMSG_CLOEXEC);
  const cmsghdr* const header = count > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  // There is room for one descriptor; the kernel drops others.
  if (header != nullptr && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof(int))) {
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    received_.Reset(descriptor);
  }
  return count;
}

template <typename Answer>
Result<Answer> LauncherConnection::Ask(const Message& request) {
  received_.Reset();
  if (auto sent = Send(request); !sent) return tl::unexpected(sent.error());
  auto message = Receive();
  if (!message) return tl::unexpected(message.error());
  if (auto* const answer = std::get_if<Answer>(&*message)) return std::move(*answer);
  Close();
  return Fail(ErrorCode::kInternal, "the launcher sent an answer to another request");
}

Result<LauncherConnection::OpenedFile> LauncherConnection::OpenFile(
    const launcher::OpenRequest& request) {
  auto answer = Ask<launcher::OpenAnswer>(request);
  if (!answer) return tl::unexpected(answer.error());
  OpenedFile opened{*answer, std::move(received_)};
  if (answer->status == launcher::FileStatus::kFound && !opened.descriptor.IsOpen()) {
    opened.answer = {launcher::FileStatus::kFailed, EMFILE};  // this process has no number for it
  }
  return opened;
}

Result<launcher::FoundFiles> LauncherConnection::FindFiles(const launcher::FindRequest& request) {
  return Ask<launcher::FoundFiles>(request);
}

Result<launcher::RemoveAnswer> LauncherConnection::RemoveFolder(
    const launcher::RemoveRequest& request) {
  return Ask<launcher::RemoveAnswer>(request);
}

Result<uid_t> LauncherConnection::User() const {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket_, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0) return peer.uid;
  return Fail(ErrorCode::kUnavailable, "the launcher's user is unknown: " + SystemText(errno));
}

Result<void> LauncherConnection::Prepare(const RunnerOptions& options, const launcher::Job& job,
                                         const std::stop_token& stop) {
  const auto timeout =
      std::chrono::duration_cast<std::chrono::milliseconds>(options.launcher_patience);
  auto ready = options.launcher_socket.empty() ? Start(options.launcher_program)
                                               : Connect(options.launcher_socket, timeout, stop);
  return ready ? Send(job) : ready;
}

Result<launcher::Ended> LauncherConnection::Execute(const launcher::Run& run,
                                                    const std::stop_token& stop,
                                                    const ProgressHandler& on_progress) {
  if (auto sent = Send(run); !sent) return tl::unexpected(sent.error());
  const std::stop_callback on_stop(stop, [this, &run] { Stop(run.id); });
  return AwaitEnd(run.id, on_progress);
}

Result<launcher::Ended> LauncherConnection::AwaitEnd(std::uint64_t id,
                                                     const ProgressHandler& on_progress) {
  while (true) {
    auto message = Receive();
    if (!message) return tl::unexpected(message.error());
    auto* const ended = std::get_if<launcher::Ended>(&*message);
    if (ended != nullptr && ended->id == id) return std::move(*ended);
    const auto* const progress = std::get_if<launcher::Progress>(&*message);
    if (progress == nullptr || progress->id != id) break;
    if (on_progress) on_progress(progress->item);
  }
  Close();
  return Fail(ErrorCode::kInternal, "the launcher sent an answer without a request");
}

void LauncherConnection::Stop(std::uint64_t id) { SendIfOpen(launcher::Stop{id}); }

void LauncherConnection::Limit(std::uint64_t id, std::int64_t item) {
  SendIfOpen(launcher::Limit{id, item});
}

void LauncherConnection::SendIfOpen(const Message& message) {
  std::string bytes;
  launcher::AppendFrame(message, bytes);
  const std::lock_guard lock(sending_);
  // So few bytes fit into the socket's buffer: the launcher always reads.
  if (socket_ >= 0) static_cast<void>(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

}  // namespace evenkeel::workloads::command
