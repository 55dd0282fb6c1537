#include "cli/kubectl/command_end.h"

#include <ostream>

namespace evenkeel::cli {

int Complain(const Error& error, const platform::BlockedSignals& stop, std::ostream& err) {
  if (stop.Arrived()) return kInterrupted;
  err << "kubectl-evenkeel: " << error.message << '\n';
  const bool users = error.code == ErrorCode::kInvalidInput || error.code == ErrorCode::kConflict;
  return users ? kBadInput : kFailed;
}

}  // namespace evenkeel::cli
