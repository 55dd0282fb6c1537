"""The cluster itself, before anything of ours is in it: it has to be what the other tests take it for.

That cables, power and nodes do what they should is seen by the tests of faults."""

import concurrent.futures
import json
import os
import re
import subprocess

import cluster_case
import faults
import kube
import machine

BASE = "localhost/evenkeel/base-amd64:bookworm"
# Prints how many milliseconds a loop takes by the clock on the wall: twice, for others use this machine.
LOOP = ("for k in 1 2; do s=${EPOCHREALTIME/./}; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; "
        "e=${EPOCHREALTIME/./}; echo $(((e-s)/1000)); done")
PORT = 8080
SERVER = ("use IO::Socket::INET; my $s = IO::Socket::INET->new(LocalPort => 8080, Listen => 5, "
          "ReuseAddr => 1) or die; while (my $c = $s->accept) { print $c qq(hello\\n); close $c; }")


def pod(name, node, *command, labels=None):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "labels": labels or {}},
            "spec": {"nodeName": node, "restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
                     "automountServiceAccountToken": False,
                     "securityContext": {"runAsNonRoot": True, "runAsUser": 65532,
                                         "seccompProfile": {"type": "RuntimeDefault"}},
                     "containers": [{
                         "name": "main", "image": BASE, "imagePullPolicy": "Never",
                         "command": list(command),
                         "securityContext": {"allowPrivilegeEscalation": False,
                                             "capabilities": {"drop": ["ALL"]}}}]}}


class PodCase(cluster_case.ClusterTest):
    def run_pod(self, name, node, *command):
        """Its output, once it has ended well."""
        kube.apply(pod(name, node, *command), namespace=self.namespace)
        kube.wait("jsonpath={.status.phase}=Succeeded", f"pod/{name}", "-n", self.namespace,
                  seconds=120)
        return kube.logs(name, self.namespace)


class SpeedTest(PodCase):
    def test_nodes_are_as_unequal_as_they_should_be(self):
        def measure(node):
            return min(map(int, self.run_pod(f"loop-{node}", node, "bash", "-c", LOOP).split()))
        with concurrent.futures.ThreadPoolExecutor() as pool:  # together they use less than one core
            milliseconds = dict(zip(cluster_case.NODES, pool.map(measure, cluster_case.NODES)))
        for node, share in cluster_case.SHARES.items():
            ratio = milliseconds[node] / milliseconds["pi4-a"] * share / cluster_case.SHARES["pi4-a"]
            self.assertAlmostEqual(ratio, 1.0, delta=0.25, msg=str(milliseconds))


class MachineTest(cluster_case.ClusterTest):
    beside = True

    def test_another_run_cannot_take_the_cluster(self):
        """Its owner is alive: a stranger is refused before it does anything."""
        for command in (["up"], ["up", "--owner", os.getpid()], ["down", "--owner", os.getpid()]):
            with self.subTest(command=command):
                stranger = machine.cluster(*command, check=False, capture_output=True)
                self.assertEqual(stranger.returncode, 1)
                self.assertIn("in use by process", stranger.stderr)

    def test_nothing_runs_twice(self):
        """The `up` before was killed half-way."""
        for program in ("kube-apiserver", "kine", "kube-scheduler"):
            running = [line for line in machine.processes()
                       if line.split()[1].endswith(f"/{program}")]
            self.assertEqual(len(running), 1, running)
        self.assertEqual(len(kube.get("nodes")), len(cluster_case.NODES))


class BareTest(PodCase):
    beside = True

    def test_nodes_are_the_boards_of_the_paper(self):
        nodes = {node["metadata"]["name"]: node for node in kube.get("nodes")}
        self.assertLessEqual(set(cluster_case.NODES), set(nodes))
        listed = json.loads(kube.kubectl("create", "--dry-run=client", "--validate=false", "-o", "json", "-f",
                                         str(machine.ROOT / "examples/nodes/pi-trio.yaml"))
                            .replace("}\n{", "},{").join("[]"))
        boards = listed[0]["items"] if "items" in listed[0] else listed
        for board in boards:
            labels = nodes[board["metadata"]["name"]]["metadata"]["labels"]
            for key, value in board["metadata"]["labels"].items():
                if key.startswith("hardware.evenkeel.dev/"):
                    self.assertEqual(labels.get(key), value, key)

    def test_server_is_the_version_that_is_asked_for(self):
        version = json.loads(kube.kubectl("version", "-o", "json"))["serverVersion"]
        self.assertRegex(version["gitVersion"], r"^v1\.34\.\d+$")

    def test_service_is_reached_by_name_from_every_node(self):
        server = pod("server", "pi4-a", "perl", "-e", SERVER, labels={"app": "server"})
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "server"},
                   "spec": {"selector": {"app": "server"}, "ports": [{"port": PORT}]}}
        kube.apply(server, service, namespace=self.namespace)
        kube.wait("condition=Ready", "pod/server", "-n", self.namespace)
        ask = (f"for i in 1 2 3 4 5 6 7 8 9; do exec 3<>/dev/tcp/server.{self.namespace}.svc.cluster.local/"
               f"{PORT} && cat <&3 && exit 0; sleep 1; done; exit 1")
        for node in cluster_case.NODES:  # its own node among them: answers have to find their way back
            self.assertEqual(self.run_pod(f"client-{node}", node, "bash", "-c", ask), "hello\n")

    def test_exec_and_port_forward(self):
        kube.apply(pod("server", "pi3", "perl", "-e", SERVER), namespace=self.namespace)
        kube.wait("condition=Ready", "pod/server", "-n", self.namespace)
        self.assertEqual(kube.kubectl("exec", "server", "-n", self.namespace, "--", "id", "-u"),
                         "65532\n")
        with kube.forwarded("server", PORT, self.namespace) as port:
            self.assertGreater(port, 0)

    def test_claim_stays_on_its_node(self):
        with faults.volume("bare-disk", "pi4-b"):
            writer = pod("writer", "pi4-b", "bash", "-c", "id -u > /data/file; cat /data/file")
            del writer["spec"]["nodeName"]
            writer["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
            writer["spec"]["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
            kube.apply(faults.claim("data", "bare-disk"), writer, namespace=self.namespace)
            kube.wait("jsonpath={.status.phase}=Succeeded", "pod/writer", "-n", self.namespace)
            found = kube.get("pod", "writer", "-n", self.namespace)
            self.assertEqual(found["spec"]["nodeName"], "pi4-b")
            kube.delete("pod", "writer", "-n", self.namespace)
            kube.delete("pvc", "data", "-n", self.namespace)

    def test_volume_is_kept_while_a_pod_writes(self):
        """Also while the API server knows the pod no more."""
        volume = machine.where()["STATE"] / "volumes" / "bare-busy"
        machine.cluster("volume", "add", volume.name, "pi4-a")
        writer = pod("writer", "pi4-a", "bash", "-c", "while true; do echo > /data/$((n++ % 100)); done")
        writer["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        writer["spec"]["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
        kube.apply(faults.claim("data", volume.name), writer, namespace=self.namespace)
        kube.wait("condition=Ready", "pod/writer", "-n", self.namespace)
        with subprocess.Popen([*machine.SCRIPT, "volume", "remove", volume.name], text=True,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as remover:
            self.assertIn("waiting up to 60 s for pods that use the volume", remover.stderr.readline())
            self.assertTrue(volume.exists())
            faults.delete_pod("writer", self.namespace)
            self.assertEqual(remover.wait(90), 0, remover.stderr.read())
        self.assertFalse(volume.exists())

    def test_volume_can_be_full(self):
        with faults.volume("bare-small", "pi4-b", mebibytes=1):
            writer = pod("writer", "pi4-b", "bash", "-c",
                         "head -c 3000000 /dev/zero > /data/file; echo $?")
            writer["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
            writer["spec"]["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
            kube.apply(faults.claim("data", "bare-small", mebibytes=1), writer, namespace=self.namespace)
            kube.wait("jsonpath={.status.phase}=Succeeded", "pod/writer", "-n", self.namespace)
            self.assertRegex(kube.logs("writer", self.namespace), re.compile("No space left|^1$", re.M))
            kube.delete("pod", "writer", "-n", self.namespace)
            kube.delete("pvc", "data", "-n", self.namespace)


class ExtraNodeTest(cluster_case.ClusterTest):
    def test_a_board_unlike_all_others_has_no_labels(self):
        with faults.extra_node("odd", 22):
            labels = kube.get("node", "odd")["metadata"]["labels"]
            self.assertEqual([key for key in labels if "evenkeel" in key], [])

    def test_what_cannot_be_is_refused_and_changes_nothing(self):
        for arguments, message in ((("odd", "22", "pi9"), "there is no board pi9 in examples/nodes/pi-trio.yaml; "
                                                          "there are: pi4-a pi4-b pi3"),
                                   (("odd", "0"), "0 is no share of a core: above 0 and at most 100 percent"),
                                   (("odd", "a lot"), "a lot is no share of a core"),
                                   (("Odd", "22"), "Odd is no name for a node"),
                                   (("pi3", "22"), "the node pi3 is there already")):
            with self.subTest(arguments=arguments):
                refused = machine.cluster("node", "add", *arguments, check=False, capture_output=True)
                self.assertEqual(refused.returncode, 1)
                self.assertIn(message, refused.stderr)
        self.assertEqual({node["metadata"]["name"] for node in kube.get("nodes")}, set(cluster_case.NODES))


class OutageTest(cluster_case.ClusterTest):
    def test_api_server_can_be_away(self):
        with faults.stopped_api_server():
            with self.assertRaises(kube.Refused):
                kube.kubectl("get", "nodes", "--request-timeout=2s")
        self.assertEqual(len(kube.get("nodes")), len(cluster_case.NODES))


if __name__ == "__main__":
    cluster_case.main()
