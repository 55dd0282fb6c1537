#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/weighted_job.h"

namespace evenkeel::cluster {

inline WeightedJob Job() {
  WeightedJob job;
  job.meta.name = "primes";
  job.meta.namespace_name = "lab";
  job.meta.uid = "01234567-89ab";
  job.spec.workload = "primes";
  job.resources = WithWorkerDefaults({});
  return job;
}

/// Owner, namespace and labels that every object of that job has.
inline void ExpectOwned(const nlohmann::json& object) {
  const nlohmann::json owner{{"apiVersion", "batch.evenkeel.dev/v1alpha1"},
                             {"kind", "WeightedJob"},
                             {"name", "primes"},
                             {"uid", "01234567-89ab"},
                             {"controller", true},
                             {"blockOwnerDeletion", true}};
  EXPECT_EQ(object["metadata"]["ownerReferences"], nlohmann::json::array({owner}));
  EXPECT_EQ(object["metadata"]["namespace"], "lab");
  const nlohmann::json& labels = object["metadata"]["labels"];
  EXPECT_EQ(labels["app.kubernetes.io/name"], "evenkeel");
  EXPECT_EQ(labels["app.kubernetes.io/managed-by"], "evenkeel-operator");
  EXPECT_EQ(labels["evenkeel.dev/weighted-job"], "primes");
}

}  // namespace evenkeel::cluster
