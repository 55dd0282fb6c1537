#include "core/base/log.h"

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstddef>
#include <memory>

namespace evenkeel {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      break;
  }
  return spdlog::level::err;
}

constexpr std::size_t kMaxWaitingLines = 4096;

using LoggerPointer = std::shared_ptr<spdlog::logger>;

LoggerPointer WithFormat(LoggerPointer logger) {
  logger->set_pattern("%H:%M:%S.%e %^%l%$ %v");
  logger->set_level(spdlog::level::warn);
  return logger;
}

LoggerPointer& Logger() {
  static LoggerPointer logger = WithFormat(spdlog::stderr_color_mt("evenkeel"));
  return logger;
}

}  // namespace

void Log(LogLevel level, std::string_view message) {
  Logger()->log(ToSpdlog(level), spdlog::string_view_t(message.data(), message.size()));
}

void LogInBackground() {
  const auto level = Logger()->level();
  spdlog::drop("evenkeel");
  spdlog::init_thread_pool(kMaxWaitingLines, 1);
  Logger() = WithFormat(spdlog::create_async_nb<spdlog::sinks::stderr_color_sink_mt>("evenkeel"));
  Logger()->set_level(level);
}

void SetLogLevel(LogLevel level) { Logger()->set_level(ToSpdlog(level)); }

}  // namespace evenkeel
