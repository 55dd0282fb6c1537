#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace evenkeel {

/// What the caller can do about an error.
enum class ErrorCode {
  kInvalidInput,  ///< the user's file or flag is wrong: one line, exit code 2
  kConflict,      ///< something else is there already, e.g. another job's journal: exit code 2
  kInUse,         ///< another process has it now: exit code 2, of a coordinator in a cluster 5
  kUnavailable,   ///< a peer or a resource is not there (now)
  kStorageFull,   ///< no room: stop cleanly, resume when there is room
  kInternal       ///< everything else that is not the user's fault
};

/// An expected operating error. Programmer errors are EVENKEEL_CHECKs instead.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  ///< one line for the user: where, what was wrong, what is allowed
};

template <typename T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

[[nodiscard]] inline tl::unexpected<Error> InvalidInput(std::string message) {
  return Fail(ErrorCode::kInvalidInput, std::move(message));
}

}  // namespace evenkeel
