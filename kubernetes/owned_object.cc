#include "kubernetes/owned_object.h"

#include <utility>

namespace evenkeel::kube {
namespace {

using Outcome = tl::expected<OwnedObjectOutcome, OwnedObjectError>;
using Kind = OwnedObjectError::Kind;

const Json& ControllerReference(const Json& metadata) {
  static const Json nothing;
  const Json& owners = MemberOf(metadata, "ownerReferences");
  if (!owners.is_array()) return nothing;
  for (const Json& owner : owners) {
    const Json& controls = MemberOf(owner, "controller");
    if (controls.is_boolean() && controls.get<bool>()) return owner;
  }
  return nothing;
}

/// Managers that write only a subresource, such as the status, do not count.
bool HasOtherManagers(const Json& metadata, const std::string& field_manager) {
  const Json& entries = MemberOf(metadata, "managedFields");
  if (!entries.is_array()) return false;
  for (const Json& entry : entries) {
    if (!TextAt(entry, "subresource").empty()) continue;
    if (TextAt(entry, "manager") != field_manager) return true;
  }
  return false;
}

/// One reconciliation of one object.
class Reconciliation {
 public:
  Reconciliation(const Client& client, const OwnedObjectOptions& options,
                 const DesiredObject& desired, AppliedObject& applied, Instant now)
      : client_(client), options_(options), desired_(desired), applied_(applied), now_(now) {}

  Outcome Run(const OwnedMetadata* observed) {
    if (observed == nullptr) {
      const bool is_fresh = applied_.digest == desired_.digest && !applied_.was_observed &&
                            applied_.version_before.empty() && now_ - applied_.written < kCacheLag;
      return is_fresh ? OwnedObjectOutcome::kAwaitingCache : Create();
    }
    if (observed->resource_version == applied_.version_after) applied_.was_observed = true;
    // A cache may be behind: only the server knows whose the object is now.
    if (!IsOurs(*observed) || observed->is_terminating) return ReadAndApply();
    if (IsUpToDate(*observed)) return OwnedObjectOutcome::kUpToDate;
    const bool is_behind = applied_.digest == desired_.digest && !applied_.was_observed &&
                           applied_.version_before == observed->resource_version;
    if (is_behind) return OwnedObjectOutcome::kAwaitingCache;
    return Apply(*observed);
  }

 private:
  [[nodiscard]] bool IsOurs(const OwnedMetadata& found) const {
    return found.controller_uid == desired_.owner.uid;
  }

  [[nodiscard]] bool IsUpToDate(const OwnedMetadata& found) const {
    if (applied_.must_write || found.digest != desired_.digest) return false;
    const bool was_verified =
        applied_.digest == desired_.digest && applied_.version_after == found.resource_version;
    return was_verified || !found.has_other_managers;
  }

  [[nodiscard]] Result<Json> MakeMarked() const {
    Result<Json> object = desired_.make();
    if (object) (*object)["metadata"]["annotations"][options_.digest_annotation] = desired_.digest;
    return object;
  }

  Outcome Create() {
    const Result<Json> object = MakeMarked();
    if (!object) return Refused(ErrorFromTransport(object.error()));
    const ApiResult<Json> created = client_.Create(desired_.resource, desired_.key.namespace_name,
                                                   *object, options_.field_manager);
    if (created) return Written(*created, "");
    if (created.error().kind == ApiErrorKind::kAlreadyExists) return ReadAndApply();
    return Refused(created.error());
  }

  Outcome ReadAndApply() {
    const ApiResult<Json> found =
        client_.Get(desired_.resource, desired_.key.namespace_name, desired_.key.name);
    if (!found && found.error().kind == ApiErrorKind::kNotFound) return Failed(Kind::kStale);
    if (!found) return Refused(found.error());
    const Result<OwnedMetadata> metadata = ReadOwnedMetadata(*found, options_);
    if (!metadata) return Failed(Kind::kStale);
    if (!IsOurs(*metadata)) {
      const bool is_of_predecessor = metadata->controller_kind == desired_.owner.kind &&
                                     metadata->controller_name == desired_.owner.name;
      return Failed(is_of_predecessor ? Kind::kBeingCollected : Kind::kNameConflict);
    }
    if (metadata->is_terminating) return Failed(Kind::kBeingCollected);
    if (IsUpToDate(*metadata)) return Written(*found, metadata->resource_version);
    return Apply(*metadata);
  }

  Outcome Apply(const OwnedMetadata& found) {
    Result<Json> object = MakeMarked();
    if (!object) return Refused(ErrorFromTransport(object.error()));
    (*object)["metadata"]["uid"] = found.uid;
    (*object)["metadata"]["resourceVersion"] = found.resource_version;
    const ApiResult<Json> written =
        client_.Apply(desired_.resource, desired_.key.namespace_name, desired_.key.name, *object,
                      {options_.field_manager, true});
    if (written) return Written(*written, found.resource_version);
    return IsGoneOrReplaced(written.error()) ? Failed(Kind::kStale, written.error())
                                             : Refused(written.error());
  }

  Outcome Written(const Json& object, std::string version_before) {
    applied_ = {desired_.digest,
                std::move(version_before),
                TextAt(MemberOf(object, "metadata"), "resourceVersion"),
                false,
                now_,
                false};
    return OwnedObjectOutcome::kWritten;
  }

  [[nodiscard]] Outcome Failed(Kind kind, ApiError error = {}) const {
    const std::string name = desired_.kind + " " + ToString(desired_.key);
    return tl::unexpected<OwnedObjectError>({kind, name, std::move(error)});
  }
  [[nodiscard]] Outcome Refused(const ApiError& error) const {
    return Failed(Kind::kRefused, error);
  }

  const Client& client_;
  const OwnedObjectOptions& options_;
  const DesiredObject& desired_;
  AppliedObject& applied_;
  const Instant now_;
};

}  // namespace

Result<OwnedMetadata> ReadOwnedMetadata(const Json& object, const OwnedObjectOptions& options) {
  Result<ObjectMeta> meta = ReadMeta(object);
  if (!meta) return tl::unexpected<Error>(meta.error());
  const Json& metadata = MemberOf(object, "metadata");
  const Json& controller = ControllerReference(metadata);
  OwnedMetadata owned;
  owned.key = std::move(meta->key);
  owned.uid = TextAt(metadata, "uid");
  owned.resource_version = std::move(meta->resource_version);
  owned.controller_uid = TextAt(controller, "uid");
  owned.controller_kind = TextAt(controller, "kind");
  owned.controller_name = TextAt(controller, "name");
  owned.digest = TextAt(MemberOf(metadata, "annotations"), options.digest_annotation.c_str());
  owned.has_other_managers = HasOtherManagers(metadata, options.field_manager);
  owned.is_terminating = !TextAt(metadata, "deletionTimestamp").empty();
  return owned;
}

tl::expected<OwnedObjectOutcome, OwnedObjectError> ReconcileOwned(
    const Client& client, const OwnedObjectOptions& options, const DesiredObject& desired,
    const OwnedMetadata* observed, AppliedObject& applied, Instant now) {
  return Reconciliation(client, options, desired, applied, now).Run(observed);
}

}  // namespace evenkeel::kube
