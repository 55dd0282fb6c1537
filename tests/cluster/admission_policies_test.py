"""The admission policies of the chart: what the operator's account may write, and which jobs are accepted.

Requests are dry runs: they pass through admission, and nothing is stored."""

import copy
import json
import time

import yaml

import chart
import cluster_case
import jobs
import kube
from access_test import OPERATOR

OWNER = {"apiVersion": jobs.GROUP, "kind": "WeightedJob", "name": "prey", "controller": True,
         "uid": "00000000-0000-0000-0000-000000000001"}
LABELS = {"app.kubernetes.io/managed-by": "evenkeel-operator"}
POD = {"automountServiceAccountToken": False,
       "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
       "containers": [{"name": "worker", "image": "x", "securityContext": {
           "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}}]}


def made(kind, name, api_version="v1", **content):
    """An object as the operator makes them."""
    return {"apiVersion": api_version, "kind": kind, **content,
            "metadata": {"name": name, "labels": dict(LABELS), "ownerReferences": [dict(OWNER)]}}


OWN_CLAIM = {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {
    "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}}}
GOOD = {"pod": made("Pod", "prey-worker-a", spec=POD),
        "pod with a claim of its own": made("Pod", "prey-worker-b",
                                            spec={**POD, "volumes": [OWN_CLAIM]}),
        "config map": made("ConfigMap", "prey-plan", data={"a": "b"}),
        "secret of the workers": made("Secret", "prey-worker-tls-2", type="Opaque"),
        "service": made("Service", "prey-coordinator", spec={"ports": [{"port": 80}]}),
        "network policy": made("NetworkPolicy", "prey-worker", "networking.k8s.io/v1",
                               spec={"podSelector": {}})}


def without(found, *path):
    """A copy that lacks the member at the end of the path."""
    return changed(found, None, *path)


def changed(found, value, *path):
    """A copy with another value at the end of the path; None: without the member."""
    found = copy.deepcopy(found)
    inner = found
    for step in path[:-1]:
        inner = inner.setdefault(step, {}) if isinstance(inner, dict) else inner[step]
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return found


def refusals():
    """(what is wrong, object, part of the message) for the operator's account."""
    for name, found in GOOD.items():
        yield f"{name} without owner", without(found, "metadata", "ownerReferences"), "controls"
        yield f"{name} without label", without(found, "metadata", "labels"), "managed-by"
        other = changed(found, "other-worker-tls", "metadata", "name")
        yield f"{name} of another name", other, "named after it"
    pod, secret = GOOD["pod"], GOOD["secret of the workers"]
    for part, value in (("kind", "Job"), ("apiVersion", "batch/v1"), ("controller", False)):
        other = changed(pod, value, "metadata", "ownerReferences", 0, part)
        yield f"owner with {part} {value}", other, "controls"
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        yield field, changed(pod, True, "spec", field), "of the host"
    container = ("spec", "containers", 0)
    host_port = [{"containerPort": 80, "hostPort": 80}]
    yield "host port", changed(pod, host_port, *container, "ports"), "of the host"
    for volume in ({"hostPath": {"path": "/"}}, {"nfs": {"server": "n", "path": "/"}}):
        yield str(volume), changed(pod, [{"name": "v", **volume}], "spec", "volumes"), "volumes"
    yield "may be root", without(pod, "spec", "securityContext", "runAsNonRoot"), "runAsNonRoot"
    yield "is root", changed(pod, 0, "spec", "securityContext", "runAsUser"), "user 0"
    yield "no seccomp", without(pod, "spec", "securityContext", "seccompProfile"), "seccompProfile"
    plain = [{"name": "i", "image": "x"}]
    yield "init container", changed(pod, plain, "spec", "initContainers"), "unprivileged"
    yield "no container context", without(pod, *container, "securityContext"), "unprivileged"
    for field, value in (("privileged", True), ("allowPrivilegeEscalation", True), ("runAsUser", 0),
                         ("runAsNonRoot", False), ("capabilities", {"drop": ["ALL"], "add": ["NET_ADMIN"]}),
                         ("capabilities", {}), ("seccompProfile", {"type": "Unconfined"})):
        bad = changed(pod, value, *container, "securityContext", field)
        if field == "privileged":  # must not stand beside allowPrivilegeEscalation: false
            bad = changed(bad, True, *container, "securityContext", "allowPrivilegeEscalation")
        yield f"{field} {value}", bad, "unprivileged"
    # The API server adds a volume for the token, which another rule refuses.
    yield "a token", without(pod, "spec", "automountServiceAccountToken"), "volumes of the operator"
    yield "an account", changed(pod, "power", "spec", "serviceAccountName"), "service account"
    yield "a node", changed(pod, "pi3", "spec", "nodeName"), "scheduler"
    token = changed(secret, "kubernetes.io/service-account-token", "type")
    yield "a token's secret", changed(token, {"kubernetes.io/service-account.name": "default"},
                                      "metadata", "annotations"), "of type"
    yield "a secret for other use", changed(secret, "prey-password", "metadata", "name"), "named JOB-"


class OperatorPolicyTest(cluster_case.ClusterTest):
    beside = True

    def setUp(self):
        super().setUp()
        # Pod security would refuse these pods before the policies see them.
        kube.kubectl("label", "namespace", self.namespace, "pod-security.kubernetes.io/enforce-")
        kube.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "power"}},
                   namespace=self.namespace)

    def as_operator(self, *arguments, manifest=None):
        kube.kubectl("--as", OPERATOR, "-n", self.namespace, *arguments, "--dry-run=server",
                     text=json.dumps(manifest) if manifest else None)

    def test_objects_of_jobs_are_admitted(self):
        for name, found in GOOD.items():
            with self.subTest(name):
                self.as_operator("create", "-f", "-", manifest=found)

    def test_others_are_refused(self):
        for name, found, word in refusals():
            with self.subTest(name), self.assertRaises(kube.Refused) as refused:
                self.as_operator("create", "-f", "-", manifest=found)
            with self.subTest(name):
                self.assertIn("ValidatingAdmissionPolicy", str(refused.exception))
                self.assertIn(word, str(refused.exception))

    def test_others_do_as_they_like(self):
        kube.kubectl("create", "-n", self.namespace, "-f", "-", "--dry-run=server",
                     text=json.dumps(without(GOOD["pod"], "metadata", "ownerReferences")))

    def test_objects_of_others_are_neither_changed_nor_deleted(self):
        foreign = without(without(GOOD["pod"], "metadata", "ownerReferences"), "metadata", "labels")
        kube.apply(foreign, made("ConfigMap", "prey-data") | {"metadata": {"name": "prey-data"}},
                   namespace=self.namespace)
        adopt = {"metadata": {"labels": LABELS, "ownerReferences": [OWNER]}}
        for arguments in (("patch", "configmap", "prey-data", "--type=merge", "-p", json.dumps(adopt)),
                          ("delete", "pod", "prey-worker-a")):
            with self.subTest(arguments[0]), self.assertRaises(kube.Refused) as refused:
                self.as_operator(*arguments)
            self.assertIn("controls already", str(refused.exception))


TEMPLATE = {"env": [{"name": "LEVEL", "value": "1"}], "volumes": [{"name": "v", "configMap": {"name": "c"}}],
            "priorityClassName": "batch"}
WORKLOAD = {"command": {"image": "registry.example.com/team/tool:1", "command": ["/tool"], "tasks": 3}}


class JobPolicyTest(cluster_case.ClusterTest):
    beside = True

    def policy(self):
        """Name of an installed policy for the test's namespace."""
        name = self.namespace.removeprefix("t-")[:40].strip("-")
        rendered = chart.helm(
            "template", chart.RELEASE, chart.FOLDER, "--kube-version", "1.34.4", "--show-only",
            "templates/users/jobpolicy.yaml", "--set-json", "jobPolicy=" + json.dumps({
                "enabled": True, "allowedImagePrefixes": ["registry.example.com/team/"],
                "allowedPriorityClasses": ["batch"], "namespaceSelector": {
                    "matchLabels": {"kubernetes.io/metadata.name": self.namespace}}}),
            "--set", f"fullnameOverride={name}")
        self.addCleanup(kube.delete, "validatingadmissionpolicy,validatingadmissionpolicybinding",
                        f"{name}-jobs")
        kube.apply(*yaml.safe_load_all(rendered))
        self.await_policy()

    def await_policy(self):
        """The API server enforces a policy some moments after it was created."""
        until = time.monotonic() + kube.PATIENCE
        while time.monotonic() < until:
            try:
                self.create({}, {"priorityClassName": "await"})
            except kube.Refused:
                return
        self.fail(f"no policy in {kube.PATIENCE} s")

    def create(self, worker, template, workload=None):
        job = jobs.manifest("tried", workload or {"primes": {"end": 1000}})
        job["spec"]["worker"] = {**worker, "template": template}
        kube.kubectl("create", "-n", self.namespace, "-f", "-", "--dry-run=server", text=json.dumps(job))

    def test_jobs_are_judged(self):
        self.policy()
        self.create({}, {})
        self.create({"image": "registry.example.com/team/worker:1"}, TEMPLATE)
        self.create({}, TEMPLATE, WORKLOAD)
        secret = {"secretKeyRef": {"name": "s", "key": "k"}}
        for word, worker, template, workload in (
                ("images", {"image": "registry.example.com/team-b/x:1"}, {}, None),
                ("images", {"image": "other.example.com/registry.example.com/team/x"}, {}, None),
                ("images", {}, {}, {"command": {**WORKLOAD["command"], "image": "tool"}}),
                ("LD_PRELOAD", {}, {"env": [{"name": "LD_PRELOAD", "value": "/lib/x.so"}]}, None),
                ("LD_AUDIT", {}, {"env": [*TEMPLATE["env"], {"name": "LD_AUDIT", "value": "x"}]}, None),
                ("from Secrets", {}, {"env": [{"name": "A", "valueFrom": secret}]}, None),
                ("be Secrets", {}, {"volumes": [{"name": "v", "secret": {"secretName": "s"}}]}, None),
                ("priority class", {}, {"priorityClassName": "system-cluster-critical"}, None)):
            with self.subTest(word), self.assertRaises(kube.Refused) as refused:
                self.create(worker, template, workload)
            self.assertIn(word, str(refused.exception))
            self.assertIn("ValidatingAdmissionPolicy", str(refused.exception))

    def test_earlier_jobs_can_still_be_suspended(self):
        job = self.submit(jobs.manifest("early", jobs.sleeping(300, 1), worker={
            "template": {"env": [{"name": "LD_AUDIT", "value": ""}]}}))
        self.policy()
        kube.patch("weightedjob", job.name, {"spec": {"suspend": True}}, self.namespace)


if __name__ == "__main__":
    cluster_case.main()
