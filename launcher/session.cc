#include "launcher/session.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>
#include <variant>

#include "launcher/task_directory.h"

namespace evenkeel::launcher {
namespace {

constexpr std::size_t kReceiveBytes = 64 << 10;
constexpr std::chrono::seconds kRemovalPatience{120};

}  // namespace

Session::Session(int socket) : socket_(socket) { Send(Hello{}); }

Session::~Session() { Close(); }

Session::Watched Session::Watch() const {
  const auto events = static_cast<short>(outgoing_.empty() ? POLLIN : POLLIN | POLLOUT);
  return {{{socket_, events, 0},
           {command_.Output().Descriptor(), POLLIN, 0},
           {command_.Error().Descriptor(), POLLIN, 0},
           {command_.ProgressDescriptor(), POLLIN, 0},
           {command_.ControlDescriptor(), POLLOUT, 0}}};
}

void Session::Proceed(const pollfd* found) {
  // Reads the pipes before the command can change.
  if (found[1].revents != 0) command_.ReadOutput();
  if (found[2].revents != 0) command_.ReadError();
  if (found[3].revents != 0) command_.ReadProgress();
  if (found[4].revents != 0) command_.WriteLimit();
  command_.HandleDeadlines();
  if ((found[0].revents & POLLOUT) != 0) Flush();
  // A worker that does not read gets one message once it does, with the latest item.
  if (outgoing_.empty()) ReportProgress(command_.Id());
  if ((found[0].revents & ~POLLOUT) != 0) Receive();
}

void Session::Collect() {
  const Ended ended = command_.Collect();
  ReportProgress(ended.id);
  Send(ended);
}

void Session::Abandon() {
  Close();
  command_.Kill();
}

void Session::Receive() {
  static std::array<char, kReceiveBytes> bytes;
  if (socket_ < 0) return;
  const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return Close();
  incoming_.Append({bytes.data(), static_cast<std::size_t>(count)});
  while (const auto message = incoming_.Next()) {
    Take(*message);
    if (socket_ < 0) return;
  }
  if (incoming_.Broken()) Close("what came is not of this protocol");
}

void Session::Take(const Message& message) {
  if (const auto* hello = std::get_if<Hello>(&message)) {
    greeted_ = hello->version == kVersion;  // if not, it will see ours and go
    return;
  }
  if (!greeted_) return Close("it speaks another version of the protocol");
  if (const auto* job = std::get_if<Job>(&message)) return TakeJob(*job);
  if (const auto* run = std::get_if<Run>(&message)) return TakeRun(*run);
  if (const auto* stop = std::get_if<Stop>(&message)) return TakeStop(*stop);
  if (const auto* limit = std::get_if<Limit>(&message)) return TakeLimit(*limit);
  if (const auto* open = std::get_if<OpenRequest>(&message)) return TakeOpen(*open);
  if (const auto* find = std::get_if<FindRequest>(&message)) return TakeFind(*find);
  if (const auto* remove = std::get_if<RemoveRequest>(&message)) return TakeRemove(*remove);
  Close("it sent what only a launcher may send");
}

void Session::TakeJob(const Job& job) {
  if (line_) return Close("it sent a second job");
  line_.emplace(job, environ);
}

void Session::TakeRun(const Run& run) {
  if (!line_ || command_.Running()) return Close("it asked for a command out of turn");
  if (!line_->Change(run)) return Close("it changed a word that is not there");
  if (const auto trouble = command_.Start(run.id, *line_)) Send(*trouble);
}

void Session::TakeStop(const Stop& stop) {
  if (stop.id != command_.Id() || !line_) return;  // that one has ended meanwhile
  command_.Stop(std::chrono::milliseconds(line_->TheJob().grace_milliseconds));
}

void Session::TakeLimit(const Limit& limit) {
  if (limit.id == command_.Id()) command_.Limit(limit.item);
}

// The worker waits for the answer of each, so that nothing else is on its way.
bool Session::InTurn() {
  if (!command_.Running() && outgoing_.empty() && attached_ < 0) return true;
  Close("it asked for files out of turn");
  return false;
}

void Session::TakeOpen(const OpenRequest& request) {
  if (!InTurn()) return;
  const LookedUpFile file = OpenRegularFile(request.folder, request.path);
  attached_ = file.descriptor;
  Send(OpenAnswer{file.status, file.error});
}

void Session::TakeFind(const FindRequest& request) {
  if (InTurn()) Send(FindFiles({request.folder, request.glob, request.max_files}));
}

void Session::TakeRemove(const RemoveRequest& request) {
  if (InTurn()) Send(RemoveAnswer{RemoveFolder(request.folder, kRemovalPatience)});
}

void Session::ReportProgress(std::uint64_t id) {
  if (const auto item = command_.TakeProgress()) Send(Progress{id, *item});
}

void Session::Send(const Message& message) {
  if (socket_ < 0) return;
  AppendFrame(message, outgoing_);
  Flush();
}

void Session::Flush() {
  std::size_t sent = 0;
  while (sent < outgoing_.size()) {
    const ssize_t count = SendSome(sent);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0) return Close();
    sent += static_cast<std::size_t>(count);
  }
  if (sent == outgoing_.size()) {
    outgoing_ = {};  // memory too: it may have been large
  } else {
    outgoing_.erase(0, sent);
  }
}

ssize_t Session::SendSome(std::size_t begin) {
  iovec bytes{outgoing_.data() + begin, outgoing_.size() - begin};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  if (attached_ >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &attached_, sizeof(int));
  }
  const ssize_t count = ::sendmsg(socket_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count > 0 && attached_ >= 0) ::close(std::exchange(attached_, -1));
  return count;
}

void Session::Close(const char* reason) {
  if (socket_ < 0) return;
  if (reason != nullptr)
    std::fprintf(stderr, "evenkeel-launcher: a worker is let go: %s\n", reason);
  ::close(std::exchange(socket_, -1));
  if (attached_ >= 0) ::close(std::exchange(attached_, -1));
  outgoing_.clear();
  if (line_) command_.Stop(std::chrono::milliseconds(line_->TheJob().grace_milliseconds));
}

}  // namespace evenkeel::launcher
