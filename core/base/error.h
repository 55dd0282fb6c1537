#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace evenkeel {

/// Class of an error, which decides how the caller reacts.
enum class ErrorCode {
  kInvalidInput,  ///< the user's file or flag is wrong: one line, exit code 2
  kConflict,      ///< the place is taken, e.g. by another job's journal: exit code 2
  kInUse,  ///< another process uses it now: exit code 2; a coordinator in a cluster exits with 5
  kUnavailable,  ///< a peer or resource is not available now
  kStorageFull,  ///< no space left: stop cleanly, resume when there is space
  kInternal      ///< any other error that the user did not cause
};

/// An expected error. Programming errors are EVENKEEL_CHECKs instead.
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
