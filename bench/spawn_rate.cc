// Measures how many commands per second this machine can start: posix_spawn and waitpid alone, in
// PROCESSES processes. Usage: spawn_rate PROCESSES COMMANDS PROGRAM. Prints commands per second.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

void StartOneAfterTheOther(long commands, char* program) {
  char* words[] = {program, nullptr};
  for (long n = 0; n < commands; ++n) {
    pid_t child = 0;
    if (posix_spawn(&child, program, nullptr, nullptr, words, environ) != 0) _exit(1);
    waitpid(child, nullptr, 0);
  }
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: spawn_rate PROCESSES COMMANDS PROGRAM\n");
    return 2;
  }
  const long processes = std::atol(argv[1]);
  const long each = std::atol(argv[2]) / processes;
  const auto begin = std::chrono::steady_clock::now();
  for (long n = 0; n < processes; ++n) {
    if (fork() == 0) StartOneAfterTheOther(each, argv[3]);
  }
  int status = 0;
  while (wait(&status) > 0) {
    if (status != 0) return 1;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.1f\n", static_cast<double>(each * processes) / took.count());
}
