// A library to preload: the first fsync or fdatasync after the file EVENKEEL_SLOW_SYNC_TRIGGER
// appears takes EVENKEEL_SLOW_SYNC_SECONDS longer. It removes the file first.
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace {

void WaitIfTriggered() {
  const char* const trigger = std::getenv("EVENKEEL_SLOW_SYNC_TRIGGER");
  const char* const seconds = std::getenv("EVENKEEL_SLOW_SYNC_SECONDS");
  if (trigger == nullptr || seconds == nullptr || unlink(trigger) != 0) return;
  std::this_thread::sleep_for(std::chrono::duration<double>(std::strtod(seconds, nullptr)));
}

int CallNext(const char* name, int fd) {
  WaitIfTriggered();
  return reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, name))(fd);
}

}  // namespace

extern "C" {
int fsync(int fd) { return CallNext("fsync", fd); }
int fdatasync(int fd) { return CallNext("fdatasync", fd); }
}
