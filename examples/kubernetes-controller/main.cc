#include <pthread.h>

#include <csignal>
#include <cstdio>
#include <utility>

#include "core/base/clock.h"
#include "examples/kubernetes-controller/config_map_mirror.h"
#include "kubernetes/config.h"
#include "kubernetes/cpprest_transport.h"

using namespace evenkeel;

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "Usage: %s NAMESPACE CONFIGMAP [KUBECONFIG]\n", argv[0]);
    return 2;
  }
  // Blocked before any thread starts, so that only sigwait() below receives them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const SteadyClock clock;
  kube::SteadyWaiter waiter;
  const auto config = argc == 4 ? kube::LoadKubeconfig(argv[3])
                                : kube::LoadInClusterConfig(kube::ReadPodSurroundings());
  if (!config) {
    std::fprintf(stderr, "%s\n", config.error().message.c_str());
    return 1;
  }
  const auto tokens = kube::MakeTokenSource(*config, clock);
  kube::CpprestOptions options;
  options.server = config->server;
  options.tls = config->tls;
  options.tokens = tokens;
  options.user_agent = "config-map-mirror";
  const auto transport = kube::MakeCpprestTransport(std::move(options));
  if (!transport) {
    std::fprintf(stderr, "%s\n", transport.error().message.c_str());
    return 1;
  }
  example::ConfigMapMirror mirror({**transport, clock, waiter, tokens.get()}, {argv[1], argv[2]});
  mirror.Start();
  int signal = 0;
  sigwait(&signals, &signal);
  mirror.Stop();
  return 0;
}
