"""The objects that the chart makes for Prometheus Operator and Node Feature Discovery, judged by an API
server that has the definitions of these kinds. They come out of the projects' releases."""

import json
import pathlib

import chart
import cluster_case
import kube
import machine

# Modules of Go: project and version, sum as in go.sum, files with definitions.
RELEASES = [
    ("github.com/prometheus-operator/prometheus-operator@v0.85.0",
     "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=",
     [f"example/prometheus-operator-crd/monitoring.coreos.com_{kind}.yaml"
      for kind in ("podmonitors", "prometheusrules", "servicemonitors")]),
    ("sigs.k8s.io/node-feature-discovery@v0.18.3",
     "h1:q5/qpyxrasI/F6838lflFNGAUszpMNRuFwornPLYdxQ=",
     ["deployment/base/nfd-crds/nfd-api-crds.yaml"]),
]
FLAGS = ("metrics.serviceMonitor.enabled", "metrics.podMonitor.enabled",
         "metrics.prometheusRule.enabled", "nodeFeatureRule.enabled")
EXPECTED = {"NodeFeatureRule": 1, "PodMonitor": 1, "PrometheusRule": 1, "ServiceMonitor": 1}


def definitions():
    """Yields the text of each file with definitions."""
    for release, digest, files in RELEASES:
        answer = machine.cluster("source", release, digest, capture_output=True)
        for file in files:
            yield (pathlib.Path(answer.stdout.strip()) / file).read_text()


def established(definition):
    return any(condition["type"] == "Established" and condition["status"] == "True"
               for condition in definition.get("status", {}).get("conditions") or [])


class ForeignKindsTest(cluster_case.ClusterTest):
    @classmethod
    def setUpClass(cls):
        for text in definitions():
            cls.addClassCleanup(kube.kubectl, "delete", "--ignore-not-found", "-f", "-", text=text)
            made = kube.kubectl("apply", "--server-side", "-o", "name", "-f", "-", text=text)
            names = [line.split("/")[1] for line in made.split()]
            kube.until(lambda found: all(established(found.get(name, {})) for name in names), "crds",
                       what=f"{names} are there")

    def rendered(self):
        """The objects of these kinds that `helm install` would send with all flags on."""
        flags = [word for flag in FLAGS for word in ("--set", f"{flag}=true")]
        text = chart.helm("template", chart.RELEASE, chart.FOLDER, "--validate", "--is-upgrade",
                          "--namespace", cluster_case.OPERATOR_NAMESPACE, *flags)
        return [part for part in text.split("\n---\n")
                if any(f"\nkind: {kind}\n" in part for kind in EXPECTED)]

    def test_the_api_server_takes_them_to_the_last_field(self):
        taken = {}
        for text in self.rendered():
            answer = kube.kubectl("apply", "--dry-run=server", "--validate=strict", "-o", "json",
                                  "-n", self.namespace, "-f", "-", text=self.elsewhere(text))
            kind = json.loads(answer)["kind"]
            taken[kind] = taken.get(kind, 0) + 1
        self.assertEqual(taken, EXPECTED)

    def elsewhere(self, text):
        """In the namespace of the test."""
        return text.replace(f"\n  namespace: {cluster_case.OPERATOR_NAMESPACE}\n", "\n")

    def test_a_wrong_field_would_be_seen(self):
        for text in self.rendered():
            with self.subTest(text.split("\n")[0]), self.assertRaises(kube.Refused):
                kube.kubectl("apply", "--dry-run=server", "--validate=strict", "-n",
                             self.namespace, "-f", "-",
                             text=self.elsewhere(text).replace("\nspec:\n", "\nspec:\n  wrong: 1\n"))


if __name__ == "__main__":
    cluster_case.main()
