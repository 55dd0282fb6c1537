#pragma once

#include "tests/support/fake_api/connection.h"
#include "tests/support/fake_api/world.h"

namespace evenkeel::support {

/// Answers the requests of one connection, one after the other, until it ends.
void ServeConnection(FakeApiWorld& world, Connection& connection);

}  // namespace evenkeel::support
