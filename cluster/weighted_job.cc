#include "cluster/weighted_job.h"

namespace evenkeel::cluster {

Resources WorkerRequests(const WeightedJob& job) {
  Resources asked = RequestsOf(job.resources);
  if (job.task_image.empty()) return asked;
  asked = asked + RequestsOf(RelayResources());
  asked.pods = 1;
  return asked;
}

}  // namespace evenkeel::cluster
