#pragma once

#include <memory>
#include <string>

#include "operator/history/prometheus.h"
#include "tests/unit/kubernetes/scripted_transport.h"

namespace evenkeel::controller {

/// The answer to the query: units and busy seconds of each node.
inline std::string RatesJson(const std::string& node, const std::string& units,
                             const std::string& busy) {
  const auto series = [&node](const std::string& figure, const std::string& value) {
    return R"({"metric":{"node":")" + node + R"(","figure":")" + figure +
           R"("},"value":[1700000000.1,")" + value + R"("]})";
  };
  return R"({"status":"success","data":{"resultType":"vector","result":[)" +
         series("units", units) + "," + series("busy", busy) + "," + series("allbusy", busy) +
         "]}}";
}

/// A Prometheus that gives the answers of a list.
class ScriptedPrometheus {
 public:
  explicit ScriptedPrometheus(std::string url = "http://prometheus:9090") {
    auto transport = std::make_unique<kube::ScriptedTransport>();
    script = transport.get();
    prometheus = std::make_shared<const Prometheus>(std::move(url), std::move(transport),
                                                    PrometheusOptions{});
  }
  kube::ScriptedTransport* script;  ///< lives as long as `prometheus`
  std::shared_ptr<const Prometheus> prometheus;
};

}  // namespace evenkeel::controller
