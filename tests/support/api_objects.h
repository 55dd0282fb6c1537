#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

/// The objects of an API server and its rules, without HTTP.
namespace evenkeel::support {

/// A request without its connection.
struct ApiRequest {
  std::string method;
  std::string target;  ///< path and query, percent-encoded
  std::string content_type{};
  std::string body{};

  [[nodiscard]] bool IsWatch() const;
};

struct ApiAnswer {
  int status = 200;
  nlohmann::json body{};
};

/// A Status of that code; `reason` by default the usual one of the code.
[[nodiscard]] ApiAnswer Refusal(int code, const std::string& message, std::string reason = {});

/// Objects of any resource: GET, LIST (limit, continue, label and field selectors), POST, PUT,
/// PATCH (merge and apply), DELETE (preconditions, finalizers), the status subresource, and WATCH
/// with bookmarks and streaming lists. tests/apiserver holds it and a real API server to the same
/// contract.
///
/// A collection is the path of all objects of a resource: "/api/v1/pods". None needs to be
/// announced. Not thread-safe.
class ApiObjects {
 public:
  /// A watch that goes on: what it selects, and how far it is.
  struct Watch {
    ApiRequest request;
    std::size_t position = 0;
    bool begun = false;
    bool bookmark_due = false;
  };

  /// Everything but watches.
  [[nodiscard]] ApiAnswer Answer(const ApiRequest& request);
  /// Why the watch cannot begin; nothing: it can.
  [[nodiscard]] std::optional<ApiAnswer> RefuseWatch(const ApiRequest& request) const;
  /// Appends the lines that are due. False: they are the last ones.
  [[nodiscard]] bool Collect(Watch& watch, std::vector<std::string>& lines) const;
  /// The watch has been told everything.
  [[nodiscard]] bool IsCurrent(const Watch& watch) const {
    return watch.position == events_.size();
  }

  // Changes of another client, without rules.

  /// Creates or replaces, status and all.
  nlohmann::json Put(const std::string& collection, nlohmann::json object);
  /// Removes it, whatever its finalizers. False: it was not there.
  bool Erase(const std::string& collection, const std::string& namespace_name,
             const std::string& name);
  [[nodiscard]] std::optional<nlohmann::json> Find(const std::string& collection,
                                                   const std::string& namespace_name,
                                                   const std::string& name) const;
  /// Of one namespace, or of all (empty), by namespace and name.
  [[nodiscard]] std::vector<nlohmann::json> All(const std::string& collection,
                                                const std::string& namespace_name = "") const;
  [[nodiscard]] std::int64_t version() const { return version_; }
  /// Forgets the history: older watches and continue tokens get 410.
  void Compact();
  /// Streaming lists are refused with this status; 0: served.
  int streaming_lists_status = 0;

 private:
  struct Address;
  using Key = std::tuple<std::string, std::string, std::string>;  // collection, namespace, name
  struct Event {
    std::int64_t version;
    bool deleted;
    std::string collection;
    nlohmann::json object;
    nlohmann::json before;  // null: it was created
  };
  struct Page {  // the items of a list that were not sent yet, as they were at its beginning
    std::int64_t version = 0;
    std::deque<nlohmann::json> items;
  };

  const nlohmann::json& Write(const Key& key, nlohmann::json object);
  void Remove(const Key& key);
  ApiAnswer List(const Address& address);
  ApiAnswer Post(const Address& address, const ApiRequest& request);
  ApiAnswer Patch(const Address& address, const ApiRequest& request);
  ApiAnswer Apply(const Address& address, const ApiRequest& request);
  ApiAnswer Delete(const Address& address, const ApiRequest& request);
  ApiAnswer Create(const Address& address, nlohmann::json object);
  ApiAnswer Replace(const Address& address, const nlohmann::json& wanted);
  ApiAnswer Update(const Address& address, const nlohmann::json& wanted);

  std::map<Key, nlohmann::json> objects_;
  std::map<Key, std::map<std::string, nlohmann::json>> applied_;  // by field manager
  std::deque<Event> events_;
  std::map<std::string, Page> pages_;  // by continue token
  std::int64_t version_ = 1000;
  std::int64_t oldest_ = 1000;
  int created_ = 0;
};

}  // namespace evenkeel::support
