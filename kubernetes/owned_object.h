#pragma once

#include <functional>
#include <string>
#include <tl/expected.hpp>

#include "core/base/time.h"
#include "kubernetes/api_error.h"
#include "kubernetes/client.h"
#include "kubernetes/object.h"

/// Objects that a controller creates for an owner and keeps as they should be. An object that
/// exists and has another controller, or none, is never written.
namespace evenkeel::kube {

/// Metadata that shows who owns an object and whether others have changed it.
struct OwnedMetadata {
  ObjectKey key;
  std::string uid;
  std::string resource_version;
  std::string controller_uid;   ///< of the owner reference with `controller: true`; empty: none
  std::string controller_kind;  ///< of the same reference
  std::string controller_name;
  std::string digest;               ///< the annotation OwnedObjectOptions::digest_annotation
  bool has_other_managers = false;  ///< managedFields names another manager than ours
  bool is_terminating = false;
};

struct OwnedObjectOptions {
  std::string field_manager;
  std::string digest_annotation;
};

/// Reads `metadata`. Error: kInvalidInput when there is no name or no version.
[[nodiscard]] Result<OwnedMetadata> ReadOwnedMetadata(const Json& object,
                                                      const OwnedObjectOptions& options);

/// The controller of an object.
struct Owner {
  std::string kind;
  std::string name;
  std::string uid;
};

/// An object as it should be.
struct DesiredObject {
  Resource resource;
  std::string kind;
  ObjectKey key;
  Owner owner;
  /// Makes the complete object, whose metadata names the owner with `controller: true`. Called only
  /// if the object has to be written.
  std::function<Result<Json>()> make;
  /// Identifies what the object says. Two objects with equal digests are interchangeable even if
  /// their bytes differ, as certificates made twice do.
  std::string digest;
};

/// A controller's record of an object between two reconciliations. If it is lost, the object is
/// applied again.
struct AppliedObject {
  std::string digest;          ///< of the last write; empty: none
  std::string version_before;  ///< resourceVersion in the cache when it was written; empty: absent
  std::string version_after;   ///< resourceVersion that the write returned
  bool was_observed = false;   ///< the cache has shown that version
  Instant written{};
  /// Write it whatever its metadata says: its content is known to be wrong.
  bool must_write = false;
};

enum class OwnedObjectOutcome {
  kUpToDate,       ///< nothing was sent
  kWritten,        ///< created or changed
  kAwaitingCache,  ///< written a moment ago; the cache does not show it yet
};

struct OwnedObjectError {
  enum class Kind {
    kNameConflict,    ///< the name is taken by an object of another owner
    kBeingCollected,  ///< by an object of an earlier owner of the same kind and name
    kStale,           ///< changed since it was read: read again
    kRefused,         ///< see `api`
  };
  Kind kind = Kind::kRefused;
  std::string object;  ///< "Service lab/primes-coordinator"
  ApiError api;        ///< of kRefused and kStale
};

/// How long a cache may take to show what was just created.
inline constexpr Duration kCacheLag = std::chrono::seconds(3);

/// Brings one object to what it should be. Creates it (POST); if the name is taken, reads who
/// controls the object; changes only an object whose controller has the UID of the desired owner,
/// by server-side apply with its UID and resourceVersion as preconditions, so that an object that
/// was replaced in between is not written. `observed`: what the cache shows; null if nothing.
[[nodiscard]] tl::expected<OwnedObjectOutcome, OwnedObjectError> ReconcileOwned(
    const Client& client, const OwnedObjectOptions& options, const DesiredObject& desired,
    const OwnedMetadata* observed, AppliedObject& applied, Instant now);

}  // namespace evenkeel::kube
