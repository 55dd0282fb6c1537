#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/rng.h"
#include "core/base/time.h"
#include "kubernetes/api_error.h"
#include "kubernetes/object.h"
#include "kubernetes/transport.h"

namespace evenkeel::kube {

/// How often and when a refused request is tried again. With the defaults a request takes at most
/// 4 pauses of at most 30 s, without Retry-After about 8 s of pauses altogether.
struct RetryPolicy {
  int max_attempts = 5;  ///< 1: never again, as leader election wants it
  Duration first_pause = std::chrono::milliseconds(500);
  Duration longest_pause = std::chrono::seconds(8);   ///< of those that double
  Duration longest_asked = std::chrono::seconds(30);  ///< of those that the server asks for
};

/// True for 429, 503 and 504. With `repeatable` false, for a request that must not be executed
/// twice, true for 429 only: after the others the server may have executed it.
[[nodiscard]] bool IsWorthRepeating(const Response& response, bool repeatable);

/// The pauses of one call: doubled each time, between half and all of it is waited, so that many
/// clients do not come back together; never less than the server asks for. Not thread-safe.
class RetryPauses {
 public:
  RetryPauses(const RetryPolicy& policy, std::uint64_t seed);

  /// Nothing when all attempts are used up.
  [[nodiscard]] std::optional<Duration> Next(std::optional<Duration> retry_after);

 private:
  RetryPolicy policy_;
  Rng rng_;
  Duration pause_;
  int attempts_left_;
};

class TokenSource;
class Waiter;

struct ListPage {
  std::vector<nlohmann::json> items;  ///< those of built-in kinds carry no apiVersion and kind
  std::string resource_version;       ///< of the list; where a watch goes on
  std::string continue_token;         ///< empty: this was the last page
};

/// Deletion of dependents; kDefault: the server's default.
enum class Propagation { kDefault, kBackground, kForeground, kOrphan };

struct DeleteOptions {
  std::string uid;               ///< precondition: only this very object; empty: any of that name
  std::string resource_version;  ///< precondition: only if unchanged; empty: whatever it is now
  Propagation propagation = Propagation::kDefault;
  std::optional<std::int64_t> grace_period_seconds;
};

struct ApplyOptions {
  std::string field_manager;  ///< required
  bool force = true;          ///< take over fields that other managers hold, as controllers do
};

/// Options of a client. The pointers may be null; their targets must outlive the client.
struct ClientOptions {
  RetryPolicy retry;
  Waiter* waiter = nullptr;       ///< for the pauses between attempts; null: real ones
  TokenSource* tokens = nullptr;  ///< read again once after a 401
  std::stop_token stop;           ///< ends the pauses; the last refusal is returned then
  Duration timeout = std::chrono::seconds(30);       ///< of one attempt
  Duration list_timeout = std::chrono::seconds(60);  ///< of one attempt at a page of a list
};

/// The verbs of the API on JSON objects. Answers of 429, 503 and 504 are tried again with bounded
/// back-off (see RetryPolicy), a 401 once with a token read again; what still fails is an ApiError.
/// A POST to a name may so be carried out twice, the second time as AlreadyExists; one with
/// generateName is only tried again when it was surely not carried out (429).
/// Thread-safe; holds no state between calls, so several with other policies can share a transport.
class Client {
 public:
  explicit Client(Transport& transport, ClientOptions options = {});

  [[nodiscard]] ApiResult<nlohmann::json> Get(const Resource& resource,
                                              std::string_view namespace_name,
                                              std::string_view name) const;

  /// One page. An empty namespace means all.
  [[nodiscard]] ApiResult<ListPage> List(const Resource& resource, std::string_view namespace_name,
                                         const ListOptions& options = {}) const;

  /// POST. `field_manager`: recorded in managedFields; empty: the server derives one.
  [[nodiscard]] ApiResult<nlohmann::json> Create(const Resource& resource,
                                                 std::string_view namespace_name,
                                                 const nlohmann::json& object,
                                                 std::string_view field_manager = "") const;

  /// PUT. The object's metadata.resourceVersion, if there, must be the current one (Conflict).
  [[nodiscard]] ApiResult<nlohmann::json> Replace(const Resource& resource,
                                                  std::string_view namespace_name,
                                                  std::string_view name,
                                                  const nlohmann::json& object) const;

  /// Answers with the object as it was, or as it is while finalizers hold it, or with a Status.
  /// Preconditions that do not hold: Conflict.
  [[nodiscard]] ApiResult<nlohmann::json> Delete(const Resource& resource,
                                                 std::string_view namespace_name,
                                                 std::string_view name,
                                                 const DeleteOptions& options = {}) const;

  /// Server-side apply: creates or changes; `object` has apiVersion, kind, metadata.name and the
  /// fields that the manager wants to own.
  [[nodiscard]] ApiResult<nlohmann::json> Apply(const Resource& resource,
                                                std::string_view namespace_name,
                                                std::string_view name, const nlohmann::json& object,
                                                const ApplyOptions& options) const;
  /// The same on the status subresource.
  [[nodiscard]] ApiResult<nlohmann::json> ApplyStatus(const Resource& resource,
                                                      std::string_view namespace_name,
                                                      std::string_view name,
                                                      const nlohmann::json& object,
                                                      const ApplyOptions& options) const;

  /// JSON merge patch (RFC 7386). A `resource_version` that is not empty makes it a Conflict if the
  /// object is another by now.
  [[nodiscard]] ApiResult<nlohmann::json> MergePatch(const Resource& resource,
                                                     std::string_view namespace_name,
                                                     std::string_view name, nlohmann::json patch,
                                                     const std::string& resource_version = "",
                                                     std::string_view subresource = "") const;

  /// One watch, tried once: each line goes to `sink`, which reads the events itself. Success: the
  /// server ended it in good order, or the sink or `stop` did. `silence`: a stream that says
  /// nothing for so long is broken (bookmarks come about once a minute).
  [[nodiscard]] ApiResult<void> Watch(const Resource& resource, std::string_view namespace_name,
                                      const WatchOptions& options, Duration silence, LineSink& sink,
                                      std::stop_token stop) const;

 private:
  [[nodiscard]] ApiResult<Response> Call(const Request& request, bool repeatable = true) const;
  [[nodiscard]] ApiResult<nlohmann::json> CallForJson(const Request& request,
                                                      bool repeatable = true) const;
  [[nodiscard]] ApiResult<nlohmann::json> Patch(std::string target, std::string content_type,
                                                const nlohmann::json& body) const;

  Transport& transport_;
  ClientOptions options_;
};

}  // namespace evenkeel::kube
