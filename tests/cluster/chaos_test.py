"""Injects random faults while jobs run, for EVENKEEL_CHAOS_SECONDS (60). The same EVENKEEL_SEED makes the
same choices."""

import os
import random
import threading
import time

import chart
import cluster_case
import faults
import jobs
import kube

SECONDS = float(os.environ.get("EVENKEEL_CHAOS_SECONDS", 60))
SEED = int(os.environ.get("EVENKEEL_SEED", random.randrange(10 ** 6)))
END = 700_000
PATIENCE = 240  # seconds for one step, while faults are active


class ChaosTest(cluster_case.ClusterTest):
    def setUp(self):
        super().setUp()
        self.chance = random.Random(SEED)
        self.over = threading.Event()
        print(f"\nEVENKEEL_SEED={SEED} repeats the choices", flush=True)

    def test_all_faults_at_random(self):
        injector = threading.Thread(target=self.inject_faults)
        injector.start()
        number = 0
        try:
            begun = time.monotonic()
            while number == 0 or time.monotonic() - begun < SECONDS:
                number += 1
                self.count(f"primes-{number}")
        finally:
            self.over.set()
            injector.join()
        faults.all_nodes_ready()
        print(f"{number} jobs", flush=True)

    def count(self, name):
        """Runs one job, which must complete with the exact count."""
        job = jobs.Job(name, self.namespace)
        self.patiently(lambda: self.submit(jobs.manifest(name, jobs.primes(END), taskPolicy={
            "backoffLimitPerTask": 0, "maxFailedTasks": 0})))
        job.until(lambda thing: jobs.condition(thing, "Complete").get("status") == "True" or
                  self.fail_if_failed(thing), seconds=900, what="the job is complete")
        # The coordinator of a complete job is not replaced when it is deleted.
        self.patiently(lambda: self.check_primes_in_status(job, END))

    def fail_if_failed(self, thing):
        if jobs.condition(thing, "Failed").get("status") == "True":
            raise AssertionError(cluster_case.show(thing["status"]))
        return False

    @staticmethod
    def patiently(step):
        """Repeats the step until it succeeds: a request may fail while a fault is active."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return step()
            except (AssertionError, OSError) as error:
                if "AlreadyExists" in str(error):
                    return None
                if time.monotonic() > end:
                    raise
                time.sleep(3)

    def inject_faults(self):
        faults_to_inject = (self.delete_a_worker, self.delete_a_coordinator, self.delete_the_operator,
                 self.pull_a_cable, self.kill_a_node, self.stop_the_api_server)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and not self.over.wait(self.chance.uniform(1, 8)):
            inject = self.chance.choice(faults_to_inject)
            print(f"{time.strftime('%H:%M:%S')} {inject.__name__.replace('_', ' ')}", flush=True)
            try:
                inject()
            except (AssertionError, OSError, IndexError) as error:
                print(f"  missed: {str(error)[:200]}", flush=True)

    def pods_of(self, component):
        return [pod["metadata"]["name"] for pod in kube.get(
            "pods", "-n", self.namespace, "-l", f"app.kubernetes.io/component={component}")]

    def delete_a_worker(self):
        faults.delete_pod(self.chance.choice(self.pods_of("worker")), self.namespace)

    def delete_a_coordinator(self):
        faults.delete_pod(self.chance.choice(self.pods_of("coordinator")), self.namespace)

    def delete_the_operator(self):
        pod = self.chance.choice(chart.operator_pods())
        faults.delete_pod(pod["metadata"]["name"], cluster_case.OPERATOR_NAMESPACE)

    def pull_a_cable(self):
        with faults.pulled_cable(self.chance.choice(cluster_case.NODES)):
            time.sleep(self.chance.uniform(1, 25))

    def kill_a_node(self):
        with faults.dead_node(self.chance.choice(cluster_case.NODES)):
            time.sleep(self.chance.uniform(1, 25))

    def stop_the_api_server(self):
        faults.api_server_stopped_for(self.chance.uniform(1, 20))


if __name__ == "__main__":
    cluster_case.main()
