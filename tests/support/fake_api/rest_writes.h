#pragma once

#include "tests/support/fake_api/http_request.h"
#include "tests/support/fake_api/object_store.h"
#include "tests/support/fake_api/rest_answers.h"

namespace evenkeel::support {

// The verbs that write; they may throw std::exception at bodies that make no sense.

[[nodiscard]] RestAnswer AnswerPost(ObjectStore& store, const HttpRequest& request,
                                    const ApiAddress& address);
[[nodiscard]] RestAnswer AnswerPut(ObjectStore& store, const HttpRequest& request,
                                   const ApiAddress& address);
[[nodiscard]] RestAnswer AnswerPatch(ObjectStore& store, const HttpRequest& request,
                                     const ApiAddress& address);
[[nodiscard]] RestAnswer AnswerDelete(ObjectStore& store, const HttpRequest& request,
                                      const ApiAddress& address);

}  // namespace evenkeel::support
