#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/field_reader.h"
#include "workloads/workload.h"

namespace evenkeel::workloads {

/// One entry of a registry: how a program makes a workload when a job names it.
struct Registration {
  /// A lower-case letter, then letters and digits; at most 56 of them. Lives as long as the
  /// program.
  std::string_view name;
  /// Workload::Version() of all that are made.
  std::uint32_t version = 1;
  /// Makes the workload from its parameters. Errors (kInvalidInput) begin with the path of the
  /// field, as FieldReader's do. Thread-safe.
  Result<std::shared_ptr<const Workload>> (*make)(const model::FieldReader& parameters,
                                                  const WorkloadContext& context) = nullptr;
};

/// The workloads that a program knows by name. A job refers to a custom workload as
/// spec.workload.custom.NAME, and its name everywhere is "custom.NAME", so it never conflicts with
/// a workload that is built in later. Immutable, so thread-safe.
class Registry {
 public:
  /// Names must differ within each of the two.
  explicit Registry(const std::vector<Registration>& own,
                    std::span<const Registration> built_in = {});

  /// Makes the workload of that name from its parameters (JSON text, as in spec.workload.NAME).
  /// Errors (kInvalidInput) name the field as "spec.workload.NAME.field".
  [[nodiscard]] Result<std::shared_ptr<const Workload>> Make(const std::string& name,
                                                             const std::string& parameters_json,
                                                             const WorkloadContext& context) const;

  /// Workload::Version() of that name, known before there are parameters. kInvalidInput if there
  /// is no such workload.
  [[nodiscard]] Result<std::uint32_t> VersionOf(const std::string& name) const;

  /// All names, in alphabetical order.
  [[nodiscard]] std::vector<std::string> Names() const;

 private:
  void Add(const std::string& prefix, const Registration& registration);
  [[nodiscard]] tl::unexpected<Error> Unknown(const std::string& name) const;

  std::map<std::string, Registration, std::less<>> by_name_;
};

}  // namespace evenkeel::workloads
