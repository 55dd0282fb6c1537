// The fake API server as a program, for tests that are none of C++: prints its address, and serves
// until its standard input ends.
#include <cstdio>

#include "tests/support/fake_api_server.h"

int main() {
  const evenkeel::support::FakeApiServer server;
  std::printf("%s\n", server.url().c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
