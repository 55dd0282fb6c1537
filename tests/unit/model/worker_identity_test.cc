#include "core/model/worker_identity.h"

#include <gtest/gtest.h>

namespace evenkeel::model {
namespace {

const WorkerIdentity kIdentity{"lab", "primes", "primes-worker-pi4-a-1f2e3d4c", "pi4-a.local"};
const std::string kUri =
    "spiffe://evenkeel.dev/ns/lab/wj/primes/pod/primes-worker-pi4-a-1f2e3d4c/node/pi4-a.local";

TEST(WorkerIdentityTest, TheUriNamesEveryPartAndReadsBack) {
  EXPECT_EQ(WorkerUri(kIdentity), kUri);
  EXPECT_EQ(ParseWorkerUri(kUri), kIdentity);
}

TEST(WorkerIdentityTest, AUriOfAnotherFormHasNoIdentity) {
  const std::string longest(254, 'a');
  for (const std::string& uri :
       {std::string(), std::string("spiffe://evenkeel.dev"), "spiffe://elsewhere" + kUri.substr(21),
        kUri + "/", kUri + "/extra/part", kUri.substr(0, kUri.size() - 11),
        std::string("spiffe://evenkeel.dev/ns//wj/primes/pod/p/node/n"),
        std::string("spiffe://evenkeel.dev/ns/lab/wj/primes/node/n/pod/p"),
        std::string("spiffe://evenkeel.dev/ns/lab/wj/primes/pod/P/node/n"),
        std::string("spiffe://evenkeel.dev/ns/lab/wj/primes/pod/p%2f/node/n"),
        "spiffe://evenkeel.dev/ns/lab/wj/primes/pod/p/node/" + longest}) {
    EXPECT_EQ(ParseWorkerUri(uri), std::nullopt) << uri;
  }
}

}  // namespace
}  // namespace evenkeel::model
