#include "launcher/listener.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "launcher/heard_signals.h"
#include "launcher/process_setup.h"
#include "launcher/service.h"
#include "launcher/strays.h"

namespace evenkeel::launcher {
namespace {

constexpr int kMostWaiting = 128;  // connections that are not accepted yet
constexpr std::size_t kMostServices = 1024;

std::string CannotListen(const std::string& path) {
  return path + ": cannot be listened at: " + std::strerror(errno);
}

[[noreturn]] void Serve(int socket, pid_t listener) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != listener) ::_exit(1);  // it was killed before that was in place
  const int signals = PrepareProcess();
  Service(socket, signals).Run();
  ::_exit(0);
}

}  // namespace

Listener::Listener() : signals_(PrepareProcess()) {}

Listener::~Listener() {
  EndListening();
  ::close(signals_);
}

std::string Listener::Listen(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return path + ": a socket's path has 1 to " + std::to_string(sizeof address.sun_path - 1) +
           " bytes";
  }
  path.copy(static_cast<char*>(address.sun_path), path.size());
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0 && S_ISSOCK(there.st_mode)) ::unlink(path.c_str());
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const auto* const any = reinterpret_cast<const sockaddr*>(&address);
  if (listener_ < 0 || ::bind(listener_, any, sizeof address) != 0) return CannotListen(path);
  path_ = path;
  // The worker's container has another user.
  if (::chmod(path.c_str(), 0666) != 0 || ::listen(listener_, kMostWaiting) != 0) {
    return CannotListen(path);
  }
  return {};
}

void Listener::Run() {
  while (listener_ >= 0 || !services_.empty()) {
    const int accepting = services_.size() < kMostServices ? listener_ : -1;
    std::array<pollfd, 2> watched{{{signals_, POLLIN, 0}, {accepting, POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;
    if (watched[1].revents != 0) Accept();
    if (watched[0].revents == 0) continue;
    const HeardSignals heard = ReadSignals(signals_);
    if (heard.child) CollectChildren();
    if (heard.end && listener_ < 0) {
      for (const pid_t service : services_) ::kill(service, SIGTERM);
    }
    if (heard.end) EndListening();
  }
  KillStrays();
}

void Listener::Accept() {
  const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) return;
  const pid_t self = ::getpid();
  const pid_t service = ::fork();
  if (service == 0) {
    ::close(listener_);
    ::close(signals_);
    Serve(socket, self);
  }
  ::close(socket);  // without a process for it the worker tries again
  if (service > 0) services_.insert(service);
}

void Listener::EndListening() {
  if (listener_ >= 0) ::close(std::exchange(listener_, -1));
  if (!path_.empty()) ::unlink(std::exchange(path_, {}).c_str());
}

void Listener::CollectChildren() {
  bool left = false;
  for (pid_t child = 0; (child = ::waitpid(-1, nullptr, WNOHANG)) > 0;) {
    left = services_.erase(child) > 0 || left;
  }
  if (left && services_.empty()) KillStrays();
}

}  // namespace evenkeel::launcher
