// The in-memory API server as a program, for tests in Python: prints its address, and serves
// until its standard input ends.
#include <cstdio>

#include "tests/support/in_memory_api_server.h"

int main() {
  const evenkeel::support::InMemoryApiServer server;
  std::printf("%s\n", server.url().c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
