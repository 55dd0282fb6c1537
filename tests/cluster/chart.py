"""The chart in helm/evenkeel, and the images that it is about."""

import re
import subprocess

import kube
import machine
from cluster_case import OPERATOR_NAMESPACE

RELEASE = "evenkeel"
FOLDER = machine.ROOT / "helm" / "evenkeel"
SHORT_WAITS = machine.ROOT / "tests" / "cluster" / "short_waits.yaml"


def helm(*arguments, seconds=240):
    process = subprocess.run([str(kube.place("PROGRAMS") / "helm"), *map(str, arguments)],
                             env=kube.environment(), capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, timeout=seconds)
    if process.returncode != 0:
        raise AssertionError(f"helm {' '.join(map(str, arguments))}: {process.stderr.strip()}")
    return process.stdout


def install(*values):
    """Installs or upgrades, with short leases and tolerations of the operator."""
    install_with_defaults("--values", SHORT_WAITS, *values)


def install_with_defaults(*values):
    """Installs or upgrades; without values as a user would who reads no more than the first page."""
    helm("upgrade", "--install", RELEASE, FOLDER, "--namespace", OPERATOR_NAMESPACE,
         "--create-namespace", "--reset-values", "--wait", "--timeout", "180s", *values)


def uninstall():
    helm("uninstall", RELEASE, "--namespace", OPERATOR_NAMESPACE, "--wait", "--timeout", "120s")


def version():
    text = (machine.ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(evenkeel VERSION ([\d.]+)", text).group(1)


def worker_image(tag=None):
    return f"docker.io/evenkeel/worker:{tag or version()}"


def operator_image(tag=None):
    return f"docker.io/evenkeel/operator:{tag or version()}"


def operator_pods():
    return kube.get("pods", "-n", OPERATOR_NAMESPACE, "-l", "app.kubernetes.io/component=operator")
