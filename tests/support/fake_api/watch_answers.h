#pragma once

#include "tests/support/fake_api/connection.h"
#include "tests/support/fake_api/http_request.h"
#include "tests/support/fake_api/world.h"

namespace evenkeel::support {

/// Answers a watch until it ends; `seen` is its entry in the world's log. True if the connection
/// can be used again.
[[nodiscard]] bool ServeWatch(FakeApiWorld& world, Connection& connection,
                              const HttpRequest& request, SeenRequest& seen);

/// Writes an answer with its body; `status` and so on as they are to go out. `cut_after`: so much
/// of the body. False: the connection is of no more use.
[[nodiscard]] bool WriteAnswer(Connection& connection, int status, const std::string& body,
                               std::optional<int> retry_after_seconds = std::nullopt,
                               std::optional<std::size_t> cut_after = std::nullopt);

}  // namespace evenkeel::support
