#include "core/protocol/transport_settings.h"

#include <grpc/support/log.h>

#include <mutex>

#include "core/base/log.h"

namespace evenkeel::protocol {

void RouteGrpcLog() {
  static std::once_flag once;
  std::call_once(once, [] {
    gpr_set_log_function([](gpr_log_func_args* entry) { Log(LogLevel::kDebug, entry->message); });
  });
}

}  // namespace evenkeel::protocol
