"""The chart as helm renders it: complete, restricted, with the rights it needs and no others."""

import sys
import unittest

import yaml

import helm_chart
from helm_chart import kinds, named, objects, template

MONITORING = "monitoring.coreos.com/v1"
DISCOVERY = "nfd.k8s-sigs.io/v1alpha1"
FULL = {"replicaCount": 2, "labeller.enabled": True, "nodeFeatureRule.enabled": True,
        "metrics.serviceMonitor.enabled": True, "metrics.namespaces": ["monitoring"],
        "metrics.podMonitor.enabled": True, "metrics.prometheusRule.enabled": True,
        "metrics.annotations": True, "dashboards.enabled": True,
        "watch.namespaces": ["team-a", "team-b"], "imagePullSecrets": [{"name": "pull"}],
        "podLabels": {"team": "batch"}, "podAnnotations": {"note": "x"},
        "priorityClassName": "high", "tolerations": [{"operator": "Exists"}],
        "affinity": {"nodeAffinity": {}}, "networkPolicy.extraEgress": [{"ports": [{"port": 9090}]}],
        "worker.image.tag": "0.2.0", "jobPolicy.enabled": True,
        "labeller.extraFiles": ["/etc/rpi-issue"], "extraArgs": ["--verbose"],
        "extraEnv": [{"name": "A", "value": "b"}]}
OPERATOR_RULES = {  # resource: verbs, for both ClusterRoles
    "nodes": "get list watch", "weightingpolicies": "get list watch", "weightingpolicies/status": "get patch",
    "weightedjobs": "delete get list watch", "weightedjobs/status": "get patch",
    "weightedjobs/finalizers": "update", "pods": "create delete get list patch watch",
    "configmaps": "create get list patch watch", "secrets": "create get list patch watch",
    "services": "create get list patch watch", "networkpolicies": "create get list patch watch",
    "events": "create patch"}


def operator(found):
    return named(found, "Deployment")["spec"]["template"]["spec"]


def rules(found, *kinds_of_role):
    """From resource to verbs, over all roles of these kinds but those for people."""
    table = {}
    for role in found:
        if role["kind"] in kinds_of_role and not role["metadata"]["name"].endswith(("-view", "-edit")):
            for rule in role["rules"]:
                for resource in rule["resources"]:
                    assert resource not in table or "resourceNames" in rule, resource
                    table[resource] = " ".join(sorted(rule["verbs"]))
    return table


class Lint(unittest.TestCase):
    def test_lint_is_content(self):
        for values in ({}, FULL):
            done = helm_chart.helm("lint", "--strict", helm_chart.FOLDER, *helm_chart.setting(values))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_everything_is_rendered(self):
        found = objects(FULL, "--include-crds", apis=(MONITORING, DISCOVERY))
        self.assertEqual(kinds(found), sorted([
            "ClusterRole", "ClusterRoleBinding", "ConfigMap", "CustomResourceDefinition", "DaemonSet",
            "Deployment", "NetworkPolicy", "NodeFeatureRule", "Pod", "PodDisruptionBudget", "PodMonitor",
            "PrometheusRule", "Role", "RoleBinding",
            "Secret", "Service", "ServiceAccount", "ServiceMonitor", "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding", "WeightingPolicy"]))
        for thing in found:
            self.assertLessEqual(len(thing["metadata"]["name"]), 63)
            self.assertEqual(thing["metadata"]["labels"]["app.kubernetes.io/name"], "evenkeel")

    def test_by_default_nothing_that_not_every_cluster_takes(self):
        found = kinds(objects())
        for kind in ("ConfigMap", "DaemonSet", "NodeFeatureRule", "PodDisruptionBudget", "PodMonitor",
                     "PrometheusRule", "ServiceMonitor"):
            self.assertNotIn(kind, found)

    def test_flags_wait_for_their_apis(self):
        found = kinds(objects({"metrics.serviceMonitor.enabled": True, "nodeFeatureRule.enabled": True}))
        self.assertNotIn("ServiceMonitor", found)
        self.assertNotIn("NodeFeatureRule", found)


class Values(unittest.TestCase):
    def test_wrong_values_are_refused_by_name(self):
        for values, word in (({"replicaCount": 0}, "replicaCount"), ({"replicas": 2}, "replicas"),
                             ({"image.pullPolicy": "Sometimes"}, "pullPolicy"),
                             ({"watch.namespaces": "team-a"}, "namespaces"),
                             ({"labeller.interval": 1}, "interval"),
                             ({"labeller.extraFiles": ["/etc/../x"]}, "extraFiles"),
                             ({"worker.image.digest": "abc"}, "digest"),
                             ({"networkPolicy.dns.namespace": "A"}, "namespace"),
                             ({"networkPolicy.dns.labels": []}, "labels"),
                             ({"jobPolicy.allowedImagePrefixes": ["docker.io/team"]}, "Prefixes"),
                             ({"jobPolicy.deniedEnvironment": ["A B"]}, "deniedEnvironment"),
                             ({"jobPolicy.allowedPriorityClasses": [""]}, "PriorityClasses")):
            with self.subTest(values=values):
                done = template(values)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(word, done.stderr)

    def test_old_clusters_are_refused(self):
        self.assertIn("kubeVersion", template(version="1.28.0").stderr)
        for value in ("labeller.enabled", "jobPolicy.enabled"):
            self.assertIn("1.30", template({value: True}, version="1.29.0").stderr)

    def test_names_follow_the_release(self):
        found = objects({"fullnameOverride": "balance"})
        self.assertEqual(named(found, "Deployment")["metadata"]["name"], "balance")

    def test_images(self):
        pod = operator(objects({"image.digest": "sha256:" + "a" * 64, "worker.image.tag": "v9"}))
        self.assertEqual(pod["containers"][0]["image"],
                         "docker.io/evenkeel/operator@sha256:" + "a" * 64)
        self.assertIn("--worker-image=docker.io/evenkeel/worker:v9", pod["containers"][0]["args"])

    def test_policies_are_those_of_the_files(self):
        found = objects()
        for name in ("default", "paper"):
            path = helm_chart.FOLDER / "files" / "policies" / f"{name}.yaml"
            file = yaml.safe_load(path.read_text(encoding="utf-8"))
            self.assertEqual(named(found, "WeightingPolicy", name)["spec"], file["spec"])


class Pods(unittest.TestCase):
    def test_pods_are_restricted(self):
        for name, spec in helm_chart.pod_specs(objects(FULL, apis=(MONITORING, DISCOVERY))):
            with self.subTest(name):
                found = list(helm_chart.unrestricted(spec))
                if name.endswith("-labeller"):
                    found = [trouble for trouble in found if trouble != "volume of kind hostPath"]
                self.assertEqual(found, [])

    def test_the_labeller_reads_its_host_and_cannot_write_there(self):
        spec = named(objects(FULL), "DaemonSet")["spec"]["template"]["spec"]
        mounts = spec["containers"][0]["volumeMounts"]
        self.assertTrue(all(mount["readOnly"] for mount in mounts))
        self.assertEqual(sorted(mount["name"] for mount in mounts),
                         sorted(volume["name"] for volume in spec["volumes"]))
        self.assertEqual(len({volume["name"] for volume in spec["volumes"]}), len(spec["volumes"]))
        kinds_of_path = {volume["hostPath"]["path"]: volume["hostPath"]["type"] for volume in spec["volumes"]}
        self.assertEqual({path for path, kind in kinds_of_path.items() if kind == "Directory"}, {
            "/sys/firmware", "/sys/devices", "/sys/class/block", "/sys/dev/block"})
        self.assertEqual({path for path, kind in kinds_of_path.items() if kind == "File"}, {
            "/etc/os-release", "/etc/rpi-issue", "/usr/bin/env", "/proc/cpuinfo", "/proc/meminfo",
            "/proc/stat", "/proc/uptime", "/proc/loadavg", "/proc/1/mountinfo"})

    def test_the_labeller_may_have_its_own_namespace_and_image(self):
        found = objects({"labeller.enabled": True, "labeller.namespace": "facts",
                         "labeller.image.repository": "example.com/labeller"})
        daemons = named(found, "DaemonSet")
        self.assertEqual(daemons["metadata"]["namespace"], "facts")
        self.assertEqual(daemons["spec"]["template"]["spec"]["containers"][0]["image"],
                         "example.com/labeller:" + helm_chart.app_version())
        self.assertEqual(named(found, "ServiceAccount", "evenkeel-labeller")["metadata"]["namespace"],
                         "facts")
        (subject,) = named(found, "ClusterRoleBinding", "evenkeel-labeller")["subjects"]
        self.assertEqual(subject["namespace"], "facts")
        policy = named(found, "ValidatingAdmissionPolicy", "evenkeel-labeller")["spec"]
        self.assertIn("system:serviceaccount:facts:evenkeel-labeller",
                      policy["matchConditions"][0]["expression"])
        self.assertEqual(named(found, "Deployment")["metadata"]["namespace"], helm_chart.NAMESPACE)
        image = named(objects(FULL), "DaemonSet")["spec"]["template"]["spec"]["containers"][0]["image"]
        self.assertEqual(image, "docker.io/evenkeel/worker:0.2.0")

    def test_the_operator_is_small_and_watched(self):
        pod = operator(objects())
        (container,) = pod["containers"]
        self.assertEqual(container["resources"]["limits"], {"memory": "64Mi"})
        self.assertEqual(container["livenessProbe"]["httpGet"]["path"], "/healthz")
        self.assertEqual(container["readinessProbe"]["httpGet"]["path"], "/readyz")
        self.assertIn("--leader-elect", container["args"])
        self.assertIn("--lease-duration=35", container["args"])

    def test_the_operator_is_told_its_namespaces(self):
        arguments = operator(objects(FULL))["containers"][0]["args"]
        for argument in ("--namespace=team-a", "--namespace=team-b",
                         "--metrics-namespaces=monitoring", "--verbose"):
            self.assertIn(argument, arguments)

    def test_the_operator_goes_where_it_is_sent(self):
        pod = operator(objects(FULL))
        self.assertEqual(pod["priorityClassName"], "high")
        self.assertEqual(pod["nodeSelector"], {"kubernetes.io/os": "linux"})
        self.assertEqual(pod["imagePullSecrets"], [{"name": "pull"}])
        self.assertEqual(pod["topologySpreadConstraints"][0]["topologyKey"], "kubernetes.io/hostname")
        self.assertNotIn("topologySpreadConstraints", operator(objects()))

    def test_operators_are_found_by_the_labels_that_jobs_look_for(self):
        labels = named(objects(), "Deployment")["spec"]["template"]["metadata"]["labels"]
        self.assertEqual((labels["app.kubernetes.io/name"], labels["app.kubernetes.io/component"]),
                         ("evenkeel", "operator"))


class Rights(unittest.TestCase):
    def test_the_operator_has_what_it_needs_and_no_more(self):
        self.assertEqual(rules(objects(), "ClusterRole"), OPERATOR_RULES)
        self.assertEqual(rules(objects(), "Role"), {"leases": "get update"})

    def test_nobody_has_everything(self):
        for role in objects(FULL, apis=(MONITORING, DISCOVERY)):
            for rule in role.get("rules", []) if role["kind"].endswith("Role") else []:
                for part in rule.values():
                    self.assertNotIn("*", part)

    def test_nothing_but_pods_and_jobs_is_deleted(self):
        for role in objects(FULL):
            for rule in role.get("rules", []) if role["kind"].endswith("Role") else []:
                if "delete" in rule["verbs"]:
                    self.assertLessEqual(set(rule["resources"]), {"pods", "weightedjobs"})

    def test_bound_to_namespaces_where_that_is_wanted(self):
        found = objects({"watch.namespaces": ["team-a", "team-b"]})
        everywhere = [thing["roleRef"]["name"] for thing in found
                      if thing["kind"] == "ClusterRoleBinding"]
        self.assertEqual(everywhere, ["evenkeel-cluster"])
        inside = {thing["metadata"]["namespace"] for thing in found if thing["kind"] == "RoleBinding"
                  and thing["roleRef"]["name"] == "evenkeel-jobs"}
        self.assertEqual(inside, {"team-a", "team-b"})

    def test_people_get_theirs_through_the_usual_roles(self):
        found = objects()
        view = named(found, "ClusterRole", "evenkeel-view")
        self.assertEqual(view["metadata"]["labels"]["rbac.authorization.k8s.io/aggregate-to-view"],
                         "true")
        edit = named(found, "ClusterRole", "evenkeel-edit")
        self.assertEqual(edit["metadata"]["labels"]["rbac.authorization.k8s.io/aggregate-to-edit"],
                         "true")

    def test_the_labeller_is_held_to_its_node(self):
        found = objects({"labeller.enabled": True})
        role = named(found, "ClusterRole", "evenkeel-labeller")
        self.assertEqual(role["rules"], [
            {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "patch"]}])
        policy = named(found, "ValidatingAdmissionPolicy", "evenkeel-labeller")["spec"]
        self.assertEqual(policy["failurePolicy"], "Fail")
        self.assertIn("system:serviceaccount:evenkeel-system:evenkeel-labeller",
                      policy["matchConditions"][0]["expression"])
        binding = named(found, "ValidatingAdmissionPolicyBinding", "evenkeel-labeller")["spec"]
        self.assertEqual(binding["validationActions"], ["Deny"])

    def policies(self, found):
        return {thing["metadata"]["name"]: thing["spec"] for thing in found
                if thing["kind"] == "ValidatingAdmissionPolicy"}

    def test_the_operator_is_held_to_objects_of_jobs(self):
        found = objects({"serviceAccount.name": "keel"})
        policies = self.policies(found)
        self.assertEqual(set(policies), {"evenkeel-objects", "evenkeel-pods", "evenkeel-secrets"})
        bound = {thing["spec"]["policyName"]: thing["spec"]["validationActions"] for thing in found
                 if thing["kind"] == "ValidatingAdmissionPolicyBinding"}
        self.assertEqual(bound, {name: ["Deny"] for name in policies})
        for policy in policies.values():
            self.assertEqual(policy["failurePolicy"], "Fail")
            self.assertEqual(policy["matchConditions"][0]["expression"],
                             "request.userInfo.username == 'system:serviceaccount:evenkeel-system:keel'")

    def test_every_object_that_the_operator_may_create_is_held(self):
        held = {resource for rule in self.policies(objects())["evenkeel-objects"]["matchConstraints"][
            "resourceRules"] if "CREATE" in rule["operations"] for resource in rule["resources"]}
        may_create = {resource for resource, verbs in rules(objects(), "ClusterRole").items()
                      if "create" in verbs}
        self.assertEqual(may_create - held, {"events"})

    def test_where_the_cluster_has_no_such_policies_there_are_none(self):
        self.assertEqual(self.policies(objects(version="1.29.0")), {})
        self.assertEqual(self.policies(objects({"operatorPolicy.enabled": False})), {})

    def test_jobs_are_held_to_what_is_listed(self):
        policy = self.policies(objects({
            "jobPolicy.enabled": True, "jobPolicy.allowedImagePrefixes": ["a.example.com/", "b:"],
            "jobPolicy.allowSecretVolumes": True}))["evenkeel-jobs"]
        texts = [rule["expression"] for rule in policy["validations"]]
        self.assertEqual(len(texts), 4)  # images, names of variables, their sources, priority class
        self.assertIn('["a.example.com/","b:"].exists(prefix, image.startsWith(prefix))', texts[0])
        self.assertIn('["LD_PRELOAD","LD_LIBRARY_PATH","LD_AUDIT"]', texts[1])
        self.assertIn("secretKeyRef", texts[2])
        self.assertTrue(texts[3].endswith('in [""]'), texts[3])
        self.assertEqual(policy["validations"][3]["message"],
                         "the priority class must be left out or be one of: none")


class Network(unittest.TestCase):
    def test_only_listed_namespaces_see_metrics(self):
        (rule,) = named(objects(FULL), "NetworkPolicy")["spec"]["ingress"]
        self.assertEqual(rule["ports"], [{"port": 8080, "protocol": "TCP"}])
        self.assertEqual(rule["from"][1]["namespaceSelector"]["matchExpressions"][0]["values"],
                         ["monitoring"])

    def test_what_the_operator_reaches(self):
        egress = named(objects(), "NetworkPolicy")["spec"]["egress"]
        reached = sorted(port["port"] for rule in egress for port in rule["ports"])
        self.assertEqual(reached, [53, 53, 443, 6443, 7402])

    def names_rule(self, found):
        (rule,) = [rule for rule in named(found, "NetworkPolicy")["spec"]["egress"]
                   if {port["port"] for port in rule["ports"]} == {53}]
        return rule

    def dns_arguments(self, found):
        return [word for word in operator(found)["containers"][0]["args"] if "--dns" in word]

    def test_names_are_asked_of_the_name_servers_only(self):
        found = objects()
        self.assertEqual(self.names_rule(found)["to"], [
            {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
             "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}}}])
        self.assertEqual(self.dns_arguments(found),
                         ["--dns-namespace=kube-system", "--dns-label=k8s-app=kube-dns"])

    def test_name_servers_may_be_elsewhere(self):
        found = objects({"networkPolicy.dns": {"namespace": "names", "labels": {"app": "resolver",
                                                                               "k8s-app": None}}})
        self.assertEqual(self.names_rule(found)["to"][0]["podSelector"]["matchLabels"],
                         {"app": "resolver"})
        self.assertEqual(self.dns_arguments(found),
                         ["--dns-namespace=names", "--dns-label=app=resolver"])

    def test_or_anywhere(self):
        found = objects({"networkPolicy.dns.namespace": ""})
        self.assertNotIn("to", self.names_rule(found))
        self.assertEqual(self.dns_arguments(found), ["--dns-anywhere"])


class Key(unittest.TestCase):
    def test_it_is_made_and_mounted(self):
        found = objects()
        secret = named(found, "Secret")
        self.assertGreaterEqual(len(secret["data"]["key"]), 80)
        self.assertEqual(operator(found)["volumes"][0]["secret"]["secretName"],
                         secret["metadata"]["name"])
        self.assertNotEqual(secret["data"]["key"], named(objects(), "Secret")["data"]["key"])

    def test_or_taken_from_elsewhere(self):
        found = objects({"operatorKey.existingSecret": "mine"})
        self.assertNotIn("Secret", kinds(found))
        self.assertEqual(operator(found)["volumes"][0]["secret"]["secretName"], "mine")


if __name__ == "__main__":
    if not helm_chart.program():
        print("skipped: no helm; scripts/cluster.sh builds one", file=sys.stderr)
        sys.exit(helm_chart.SKIPPED)
    unittest.main()
