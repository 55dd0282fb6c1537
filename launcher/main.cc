#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/install.h"
#include "launcher/listener.h"
#include "launcher/process_setup.h"
#include "launcher/range.h"
#include "launcher/service.h"

namespace evenkeel::launcher {
namespace {

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;

constexpr const char* kUsage =
    "Usage: evenkeel-launcher install FOLDER     copy this program to FOLDER as evenkeel-launcher\n"
    "                                            and evenkeel-range\n"
    "       evenkeel-launcher install FOLDER TASKS  the same, and make the folder of the\n"
    "                                            directories of tasks\n"
    "       evenkeel-launcher serve SOCKET       start commands for the workers that connect\n"
    "                                            there\n"
    "       evenkeel-launcher serve --fd NUMBER  the same for one worker, over an open socket\n"
    "       evenkeel-launcher range ...          the same as evenkeel-range (--help describes "
    "it)\n";

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

/// Whether this program was started under the name evenkeel-range.
bool IsRangeProgram(std::string_view path) {
  return path.substr(path.rfind('/') + 1) == kRangeProgram;
}

int Main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (argc > 0 && IsRangeProgram(argv[0])) return RunRange({argv + 1, argv + argc});
  if (verb == "range") return RunRange({argv + 2, argv + argc});
  if (argc == 2 && (verb == "--help" || verb == "-h")) {
    return std::fputs(kUsage, stdout) < 0 ? kFailed : EXIT_SUCCESS;
  }
  if (argc == 3 && verb == "install") return Complain(Install(argv[2]));
  if (argc == 4 && verb == "install") {
    const int installed = Complain(Install(argv[2]));
    return installed == EXIT_SUCCESS ? Complain(MakeTaskFolder(argv[3])) : installed;
  }
  if (argc == 3 && verb == "serve") return ServeAt(argv[2]);
  if (argc == 4 && verb == "serve" && std::string_view(argv[2]) == "--fd")
    return ServeOver(argv[3]);
  std::fputs(kUsage, stderr);
  return kBadUsage;
}

}  // namespace
}  // namespace evenkeel::launcher

int main(int argc, char** argv) { return evenkeel::launcher::Main(argc, argv); }
