#pragma once

#include "cluster/names.h"
#include "kubernetes/object.h"

/// The kinds of objects that the operator deals in.
namespace evenkeel::controller::resource {

inline const std::string kOwnVersion = "v1alpha1";

inline const kube::Resource kJobs{cluster::kGroup, kOwnVersion, "weightedjobs", true};
inline const kube::Resource kPolicies{cluster::kGroup, kOwnVersion, "weightingpolicies", false};
inline const kube::Resource kNodes{"", "v1", "nodes", false};
inline const kube::Resource kPods{"", "v1", "pods", true};
inline const kube::Resource kConfigMaps{"", "v1", "configmaps", true};
inline const kube::Resource kSecrets{"", "v1", "secrets", true};
inline const kube::Resource kServices{"", "v1", "services", true};
inline const kube::Resource kNetworkPolicies{"networking.k8s.io", "v1", "networkpolicies", true};

}  // namespace evenkeel::controller::resource
