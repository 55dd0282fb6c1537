"""The operator's roles hold exactly the verbs that it used: recorded by the API server in all tests before."""

import chart
import cluster_case
import kube
from access_test import OPERATOR, audit

# Granted, and not seen in a run that no fault of this kind happened in.
SELDOM = {
    ("weightedjobs", "get"): "a job that the watch does not show yet",
    ("weightedjobs", "delete"): "ttlSecondsAfterFinished",
    ("weightedjobs/status", "get"): "server-side apply of a status is a read as well",
    ("weightingpolicies/status", "get"): "likewise",
    ("weightedjobs/finalizers", "update"): "checked by admission, never asked for",
    ("pods", "get"): "a pod whose name is taken", ("pods", "patch"): "tasks are appended",
    ("services", "get"): "an object whose name is taken",
    ("configmaps", "get"): "a plan after a restart", ("secrets", "get"): "a name that is taken",
    ("networkpolicies", "get"): "a name that is taken",
    ("services", "patch"): "another attempt of a coordinator",
    ("secrets", "patch"): "a worker joins", ("configmaps", "patch"): "a plan changes",
    ("networkpolicies", "patch"): "somebody has changed it",
    ("nodes", "get"): "read by the watch", ("weightingpolicies", "get"): "read by the watch",
    ("events", "patch"): "an event that happens again"}


def granted():
    """Pairs of resource and verb of the ClusterRoles and the Role that the operator is bound to."""
    pairs = set()
    for kind, place in (("clusterroles", ()), ("roles", ("-n", cluster_case.OPERATOR_NAMESPACE))):
        for role in kube.get(kind, *place):
            if role["metadata"]["name"] in (f"{chart.RELEASE}-cluster", f"{chart.RELEASE}-jobs",
                                            f"{chart.RELEASE}-leader"):
                pairs |= {(resource, verb) for rule in role["rules"]
                          for resource in rule["resources"] for verb in rule["verbs"]}
    return pairs


def used():
    pairs = set()
    for entry in audit():
        found = entry.get("objectRef")
        if entry["user"]["username"] == OPERATOR and found:
            part = found.get("subresource")
            pairs.add((found["resource"] + (f"/{part}" if part else ""), entry["verb"]))
    return pairs


class VerbsTest(cluster_case.ClusterTest):
    def test_nothing_is_used_that_is_not_granted(self):
        self.assertEqual(used() - granted(), set())

    def test_nothing_is_granted_that_is_not_used(self):
        # An API server that streams lists as the beginning of a watch is never asked for a list.
        self.assertEqual({(resource, verb) for resource, verb in granted() - used()
                          if verb != "list" and (resource, verb) not in SELDOM}, set())


if __name__ == "__main__":
    cluster_case.main()
