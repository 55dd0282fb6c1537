"""The operator's process and its metrics, for tests that measure it."""

import math
import re
import urllib.request

import chart
import cluster_case
import kube
import machine

METRICS_PORT = 8080
RECONCILES = "controller_runtime_reconcile_time_seconds"


def find():
    """(process id, pod) of the one operator."""
    pod = chart.operator_pods()[0]
    return machine.pod_processes(pod["metadata"]["uid"], "evenkeel-operator")[0], pod


def metrics(pod):
    with kube.forwarded(pod["metadata"]["name"], METRICS_PORT, cluster_case.OPERATOR_NAMESPACE) as port:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            return answer.read().decode()


def _buckets(text):
    """Numbers of reconciles by the bound of their duration, in seconds."""
    buckets = {}
    for bound, count in re.findall(rf'^{RECONCILES}_bucket{{[^}}]*le="([^"]+)"[^}}]*}} (\S+)$', text, re.M):
        buckets[float(bound)] = buckets.get(float(bound), 0) + float(count)
    return buckets


def reconciles(text):
    """How many there have been."""
    return _buckets(text)[math.inf]


def share_of_reconciles(seconds, text, since=None):
    """The share of reconciles that took at most so long, which is the bound of a bucket. With `since`,
    earlier metrics, only those between the two count."""
    now, before = _buckets(text), _buckets(since) if since else {}
    return ((now[seconds] - before.get(seconds, 0)) / (now[math.inf] - before.get(math.inf, 0)))
