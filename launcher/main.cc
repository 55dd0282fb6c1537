#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "launcher/install.h"
#include "launcher/listener.h"
#include "launcher/process_setup.h"
#include "launcher/service.h"

namespace evenkeel::launcher {
namespace {

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;

constexpr const char* kUsage =
    "Usage: evenkeel-launcher install FOLDER     copy this program to FOLDER/evenkeel-launcher\n"
    "       evenkeel-launcher serve SOCKET       start commands for the workers that connect "
    "there\n"
    "       evenkeel-launcher serve --fd NUMBER  the same for one worker, over an open socket\n";

int Complain(const std::string& complaint) {
  if (complaint.empty()) return EXIT_SUCCESS;
  std::fprintf(stderr, "evenkeel-launcher: %s\n", complaint.c_str());
  return kFailed;
}

int ServeAt(const std::string& path) {
  Listener listener;
  const int code = Complain(listener.Listen(path));
  if (code == EXIT_SUCCESS) listener.Run();
  return code;
}

int ServeOver(const char* number) {
  char* end = nullptr;
  const long socket = std::strtol(number, &end, 10);
  if (end == number || *end != '\0' || socket < 3 || socket > 1'000'000) {
    return Complain(std::string("--fd: must be the number of an open socket, is ") + number);
  }
  const int signals = PrepareProcess();
  Service(static_cast<int>(socket), signals).Run();
  return EXIT_SUCCESS;
}

int Main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (argc == 2 && (verb == "--help" || verb == "-h")) {
    return std::fputs(kUsage, stdout) < 0 ? kFailed : EXIT_SUCCESS;
  }
  if (argc == 3 && verb == "install") return Complain(Install(argv[2]));
  if (argc == 3 && verb == "serve") return ServeAt(argv[2]);
  if (argc == 4 && verb == "serve" && std::string_view(argv[2]) == "--fd")
    return ServeOver(argv[3]);
  std::fputs(kUsage, stderr);
  return kBadUsage;
}

}  // namespace
}  // namespace evenkeel::launcher

int main(int argc, char** argv) { return evenkeel::launcher::Main(argc, argv); }
