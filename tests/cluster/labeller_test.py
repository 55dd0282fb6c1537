"""The labeller on every node, and the admission policy that holds each to its own."""

import contextlib
import json

import chart
import cluster_case
import kube
from node_facts import PREFIX

NODE, OTHER = "pi4-a", "pi4-b"
MEMORY = "evenkeel.dev/labelled"
ACCOUNT = "evenkeel-labeller"


def metadata(node):
    return kube.get("node", node)["metadata"]


def hardware(node):
    return {key: value for key, value in metadata(node)["labels"].items() if key.startswith(PREFIX)}


class LabellerTest(cluster_case.ClusterTest):
    """One installation with labellers; the tests check its effects."""

    @classmethod
    def setUpClass(cls):
        cls.after = contextlib.ExitStack()
        cls.after.callback(chart.install)
        cls.by_hand = {node: hardware(node) for node in (NODE, OTHER)}
        # The labeller sets labels that are missing.
        kube.kubectl("label", "node", NODE, f"{PREFIX}ram-mib-")
        cls.after.callback(kube.kubectl, "label", "node", NODE, "--overwrite",
                           f"{PREFIX}ram-mib={cls.by_hand[NODE][PREFIX + 'ram-mib']}")
        cls.after.callback(kube.kubectl, "annotate", "node", "--all", f"{MEMORY}-")
        try:
            chart.install("--set", "labeller.enabled=true")
            cls.labelled = kube.until(
                lambda nodes: NODE in nodes and PREFIX + "ram-mib" in nodes[NODE]["metadata"]["labels"]
                and nodes[NODE]["metadata"], "nodes", what=f"{NODE} has its memory as a label")
        except BaseException:
            cls.after.close()
            raise

    @classmethod
    def tearDownClass(cls):
        cls.after.close()

    def test_missing_labels_are_set_from_the_board(self):
        with open("/proc/meminfo", encoding="ascii") as file:
            mebibytes = int(file.readline().split()[1]) // 1024
        self.assertEqual(self.labelled["labels"][PREFIX + "ram-mib"], str(mebibytes))
        self.assertIn(f"ram-mib={mebibytes}", self.labelled["annotations"][MEMORY])

    def test_labels_set_by_hand_stay(self):
        for node, before in self.by_hand.items():
            now = hardware(node)
            for key, value in before.items():
                if (node, key) != (NODE, PREFIX + "ram-mib"):
                    self.assertEqual(now[key], value, (node, key))

    def test_every_node_has_one(self):
        pods = kube.get("pods", "-n", cluster_case.OPERATOR_NAMESPACE, "-l",
                        "app.kubernetes.io/component=labeller")
        self.assertEqual({pod["spec"]["nodeName"] for pod in pods},
                         {node["metadata"]["name"] for node in kube.get("nodes")})

    def test_it_may_change_its_own_labels_and_nothing_else(self):
        labeller = self.as_labeller_on(NODE)
        own = {"metadata": {"labels": {PREFIX + "sd-gb": hardware(NODE)[PREFIX + "sd-gb"]}}}
        self.try_patch(labeller, NODE, own)
        for node, change, word in (
                (OTHER, {"metadata": {"labels": {PREFIX + "sd-gb": "1"}}}, "that it runs on only"),
                (NODE, {"metadata": {"labels": {"kubernetes.io/role": "master"}}}, "labels under"),
                (NODE, {"metadata": {"labels": {"kubernetes.io/hostname": None}}}, "labels under"),
                (NODE, {"metadata": {"annotations": {"example.com/x": "y"}}}, "annotation"),
                (NODE, {"metadata": {"finalizers": ["example.com/x"]}}, "nothing but labels"),
                (NODE, {"spec": {"unschedulable": True}}, "nothing but labels")):
            with self.subTest(change=change), self.assertRaises(kube.Refused) as refused:
                self.try_patch(labeller, node, change)
            self.assertIn(word, str(refused.exception))
        for verb in (("get", "nodes"), ("delete", "node", NODE), ("get", "pods", "-A"),
                     ("get", "secrets", "-A")):
            with self.subTest(verb=verb), self.assertRaises(kube.Refused):
                kube.kubectl(f"--kubeconfig={labeller}", *verb)

    def try_patch(self, kubeconfig, node, change):
        kube.kubectl(f"--kubeconfig={kubeconfig}", "patch", "node", node, "--type=merge",
                     "--dry-run=server", "-p", json.dumps(change))

    def as_labeller_on(self, node):
        """A kubeconfig with the rights of the pod on that node."""
        pod, = (pod["metadata"]["name"] for pod in kube.get(
            "pods", "-n", cluster_case.OPERATOR_NAMESPACE, "-l",
            "app.kubernetes.io/component=labeller") if pod["spec"]["nodeName"] == node)
        token = kube.kubectl("create", "token", ACCOUNT, "-n", cluster_case.OPERATOR_NAMESPACE,
                             "--bound-object-kind=Pod", f"--bound-object-name={pod}").strip()
        config = json.loads(kube.kubectl("config", "view", "--raw", "--minify", "-o", "json"))
        config["users"] = [{"name": config["users"][0]["name"], "user": {"token": token}}]
        path = cluster_case.folder_of(self) / "kubeconfig"
        path.touch(mode=0o600)
        path.write_text(json.dumps(config))
        return path


if __name__ == "__main__":
    cluster_case.main()
