#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tests/support/fake_api/http_request.h"
#include "tests/support/fake_api/object_store.h"

namespace evenkeel::support {

/// The object or collection that a path names.
struct ApiAddress {
  std::string collection;  ///< without the namespace
  std::string namespace_name;
  std::string name;  ///< empty: the collection
  std::string subresource;

  [[nodiscard]] ObjectKey Key() const { return {collection, namespace_name, name}; }
};

/// Nothing for paths outside of the API.
[[nodiscard]] std::optional<ApiAddress> ParseAddress(const HttpRequest& request);

/// Built-in kinds, whose list items carry no apiVersion and kind.
[[nodiscard]] bool IsBuiltIn(const std::string& collection);

struct RestAnswer {
  int status = 200;
  nlohmann::json body;
};

/// A Status as the API server gives it; `reason` empty: the usual one of the code.
[[nodiscard]] RestAnswer Refusal(int code, const std::string& message, std::string reason = "");

/// GET, LIST, POST, PUT, PATCH and DELETE on the store.
[[nodiscard]] RestAnswer AnswerRest(ObjectStore& store, const HttpRequest& request);

}  // namespace evenkeel::support
