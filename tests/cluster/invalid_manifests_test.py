"""The API server itself judges the tables of manifests: what is wrong is refused, and named."""

import json
import sys

import cluster_case
import kube
import machine

sys.path.insert(0, str(machine.ROOT / "tests" / "manifests"))
import tables  # noqa: E402 the tables are beside the tests that need no cluster

CRDS = machine.ROOT / "crds"


class ManifestsTest(cluster_case.ClusterTest):
    beside = True

    @classmethod
    def setUpClass(cls):
        kube.kubectl("apply", "--server-side", "--force-conflicts", "-f", str(CRDS))
        # condition=Established fails if a definition has no conditions yet.
        kube.wait("jsonpath={.status.conditions[?(@.type==\"Established\")].status}=True", "crd",
                  "weightedjobs.batch.evenkeel.dev",
                  "weightingpolicies.batch.evenkeel.dev")

    def send(self, verb, manifest, dry_run=True):
        more = ["--dry-run=server"] if dry_run else []
        for attempt in range(5):
            try:
                return kube.kubectl(verb, "-n", self.namespace, "--validate=strict", *more, "-f", "-",
                                    text=json.dumps(manifest))
            except kube.Refused as refused:
                # The operator has written its status between kubectl's reading and writing.
                if "(Conflict)" not in str(refused) or attempt == 4:
                    raise

    def test_invalid_manifests_are_refused_by_field(self):
        for case in tables.invalid():
            with self.subTest(case.name):
                with self.assertRaises(kube.Refused) as refused:
                    self.send("create", case.manifest)
                self.assertIn(case.field, str(refused.exception))

    def test_valid_manifests_are_accepted(self):
        for case in tables.valid():
            with self.subTest(case.name):
                self.send("create", case.manifest)

    def test_updates(self):
        for case in tables.updates():
            with self.subTest(case.name):
                # The operator shall leave it alone: the question is the API server's alone.
                self.send("create", case.old, dry_run=False)
                try:
                    if case.allowed:
                        self.send("replace", case.new)
                    else:
                        with self.assertRaises(kube.Refused) as refused:
                            self.send("replace", case.new)
                        self.assertIn(case.field, str(refused.exception))
                finally:
                    kube.delete(case.old["kind"], case.old["metadata"]["name"], "-n",
                                self.namespace, wait=False)

    def test_explain_reads_well(self):
        for path in ("weightedjob", "weightedjob.spec.workload.primes", "weightedjob.status",
                     "weightingpolicy.spec.criteria"):
            text = kube.kubectl("explain", path)
            self.assertIn("DESCRIPTION:", text)
            self.assertNotIn("<empty>", text, path)


if __name__ == "__main__":
    cluster_case.main()
