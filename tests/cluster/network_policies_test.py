"""Who may talk to whom, by the NetworkPolicies of a running job: each flow that is needed is admitted,
and no other. They are evaluated, not tried: the test cluster's network enforces none."""

import cluster_case
import jobs
import kube
from network_policy import Peer, Policies

GRPC, HEALTH, CONTROL, PAGES, PROBES, API, DNS = 7400, 7401, 7402, 7403, 7405, 6443, 53
OUTSIDE = Peer(address="198.51.100.7")
NAME_SERVER = Peer({"k8s-app": "kube-dns"}, "kube-system", "10.42.9.9", {"dns": DNS, "dns-tcp": DNS})


class NetworkPoliciesTest(cluster_case.ClusterTest):
    beside = True

    def setUp(self):
        super().setUp()
        running = [self.submit(jobs.manifest(name, jobs.sleeping(2000, 1))) for name in ("one", "two")]
        for job in running:
            job.wait_workers(3)
        self.coordinator, self.other_coordinator = (
            Peer.of(job.coordinator()) for job in running)
        self.worker, self.other_worker = (
            Peer.of(next(iter(job.workers().values()))) for job in running)
        self.operator = Peer.of(kube.get("pods", "-n", cluster_case.OPERATOR_NAMESPACE, "-l",
                                         "app.kubernetes.io/component=operator")[0])
        self.neighbour = Peer({"app": "neighbour"}, self.namespace, "10.42.9.1")
        self.stranger = Peer({"app": "stranger"}, "default", "10.42.9.2")
        # One who takes the operator's labels, but has no say in the operator's namespace.
        self.pretender = Peer(self.operator.labels, self.namespace, "10.42.9.3")
        namespaces = {space["metadata"]["name"]: space["metadata"].get("labels", {})
                      for space in kube.get("namespaces")}
        self.policies = Policies(kube.get("networkpolicies", "-A"), namespaces)

    def check(self, expected, flows):
        for source, target, port in flows:
            names = {id(value): name for name, value in vars(self).items()}
            what = f"{names.get(id(source), source)} to {names.get(id(target), target)}:{port}"
            self.assertEqual(self.policies.admits(source, target, port), expected, what)

    def test_what_is_needed_is_admitted(self):
        self.check(True, [(self.worker, self.coordinator, GRPC),
                          (self.operator, self.coordinator, CONTROL),
                          (self.stranger, self.coordinator, HEALTH),  # may be a Prometheus
                          (self.worker, NAME_SERVER, DNS),
                          (self.operator, NAME_SERVER, DNS)])
        self.assertTrue(self.policies.admits(self.worker, NAME_SERVER, DNS, "UDP"))
        self.assertTrue(self.policies.admits(self.operator, Peer(address="10.77.0.1"), API))

    def test_a_coordinator_is_closed_to_others(self):
        for other in (self.other_worker, self.other_coordinator, self.neighbour, self.stranger,
                      OUTSIDE):
            self.check(False, [(other, self.coordinator, GRPC), (other, self.coordinator, CONTROL)])
        self.check(False, [(self.operator, self.coordinator, GRPC),
                           (self.worker, self.coordinator, CONTROL),
                           (self.operator, self.coordinator, HEALTH),
                           (self.pretender, self.coordinator, CONTROL),
                           (self.worker, self.coordinator, PAGES),
                           (self.stranger, self.coordinator, PROBES),
                           (self.neighbour, self.coordinator, PAGES)])

    def test_a_worker_is_closed_to_others(self):
        for other in (self.coordinator, self.other_worker, self.neighbour, self.stranger,
                      self.operator, OUTSIDE):
            self.check(False, [(other, self.worker, GRPC), (other, self.worker, 22)])

    def test_nobody_gets_out(self):
        api_server = Peer(address="10.77.0.1")
        for source in (self.worker, self.coordinator):
            self.check(False, [(source, OUTSIDE, 443), (source, api_server, API),
                               (source, self.neighbour, 80), (source, self.other_coordinator, GRPC)])
        self.check(False, [(self.coordinator, self.worker, GRPC)])

    def test_only_name_servers_are_asked_for_names(self):
        tunnel = Peer(NAME_SERVER.labels, self.namespace, "10.42.9.4")
        neighbour = Peer({"app": "web"}, "kube-system", "10.42.9.5")
        for source in (self.worker, self.coordinator, self.operator):
            self.check(False, [(source, other, DNS) for other in (tunnel, neighbour, OUTSIDE)])


if __name__ == "__main__":
    cluster_case.main()
