#include "cli/kubectl/kubectl.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "cli/human_text.h"
#include "cli/kubectl/child_process.h"
#include "core/base/clock.h"

namespace evenkeel::cli {
namespace {

/// A list of 1,000 nodes has about 20 MB.
constexpr std::size_t kMaxAnswer = std::size_t{64} << 20;
constexpr Duration kPatience = std::chrono::seconds(60);
/// Told to kubectl itself, so that it says what it has been waiting for.
constexpr const char* kRequestTimeout = "--request-timeout=30s";

bool NamesNamespace(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "--all-namespaces" || word.starts_with("--namespace=");
  });
}

/// kubectl prints its error last, after any warnings.
std::string LastLine(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  return last;
}

bool Contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

Error KubectlError(const std::string& complaint, int exit_code) {
  std::string line = Printable(LastLine(complaint), 400);
  if (line.empty()) line = "kubectl failed with exit code " + std::to_string(exit_code);
  if (Contains(line, "(AlreadyExists)")) return {ErrorCode::kConflict, line};
  if (Contains(line, "(NotFound)")) {
    // A kind that the server does not know is "not found" as well, but not the user's slip.
    const bool kind = Contains(line, "the server could not find the requested resource");
    return {kind ? ErrorCode::kUnavailable : ErrorCode::kInvalidInput, line};
  }
  if (Contains(line, "doesn't have a resource type")) {
    line += " (is Evenkeel installed in this cluster?)";
  }
  return {ErrorCode::kUnavailable, line};
}

Kubectl::Kubectl(KubectlFlags flags, const platform::BlockedSignals& stop)
    : flags_(std::move(flags)), stop_(stop) {}

std::vector<std::string> Kubectl::CommandLine(std::vector<std::string> words) const {
  const bool has_namespace = NamesNamespace(words);
  std::vector<std::string> command{"kubectl"};
  for (std::string& word : words) command.push_back(std::move(word));
  const auto add = [&command](const char* flag, const std::string& value) {
    if (!value.empty()) command.push_back(std::string("--") + flag + "=" + value);
  };
  add("context", flags_.context);
  add("kubeconfig", flags_.kubeconfig);
  add("as", flags_.as);
  if (!has_namespace) add("namespace", flags_.name_space);
  return command;
}

Result<std::string> Kubectl::Run(std::vector<std::string> words, const std::string& input) {
  words.emplace_back(kRequestTimeout);
  auto child = ChildProcess::Start(CommandLine(std::move(words)), input);
  if (!child) return tl::unexpected(child.error());

  const SteadyClock clock;
  const Instant end = clock.Now() + kPatience;
  while (child->Read(end - clock.Now(), stop_, kMaxAnswer)) {
    if (stop_.Arrived()) return Fail(ErrorCode::kUnavailable, "interrupted");
    if (clock.Now() >= end) return Fail(ErrorCode::kUnavailable, "kubectl gave no answer in 60 s");
  }
  const auto exit = child->WaitForExit(std::chrono::seconds(5), stop_);
  if (!exit) return Fail(ErrorCode::kUnavailable, "kubectl did not end");
  if (*exit != 0) return tl::unexpected(KubectlError(child->Err(), *exit));
  if (child->Overflowed()) {
    return Fail(ErrorCode::kUnavailable, "kubectl's answer has more than 64 MiB");
  }
  return child->Out();
}

Result<nlohmann::json> Kubectl::Get(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"get"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.insert(words.end(), {"-o", "json"});
  const auto text = Run(std::move(words), "");
  if (!text) return tl::unexpected(text.error());
  auto answer = nlohmann::json::parse(*text, nullptr, false);
  if (!answer.is_object())
    return Fail(ErrorCode::kUnavailable, "kubectl's answer is not a JSON object");
  return answer;
}

Result<void> Kubectl::Create(const nlohmann::json& object) {
  const auto created = Run({"create", "-f", "-"}, object.dump());
  if (!created) return tl::unexpected(created.error());
  return {};
}

}  // namespace evenkeel::cli
