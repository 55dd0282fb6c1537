/* Holds a pod's namespaces open and buries what dies in them. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void End(int signal_number) { _exit(signal_number == SIGTERM ? 0 : 1); }

static void Bury(int signal_number) {
  (void)signal_number;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
}

int main(void) {
  signal(SIGTERM, End);
  signal(SIGINT, End);
  signal(SIGCHLD, Bury);
  for (;;) pause();
}
