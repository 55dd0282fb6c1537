"""Renders the chart with helm, which scripts/cluster.sh builds; EVENKEEL_HELM may name another."""

import functools
import json
import os
import pathlib
import shutil
import subprocess

import yaml

import crd_schema

FOLDER = crd_schema.ROOT / "helm" / "evenkeel"
RELEASE, NAMESPACE = "evenkeel", "evenkeel-system"
KUBERNETES = "1.34.4"
SKIPPED = 77
NOT_RESTRICTED = {"hostPath", "nfs", "hostNetwork"}


@functools.cache
def program():
    """Path of helm, or None."""
    named = os.environ.get("EVENKEEL_HELM") or shutil.which("helm")
    if named:
        return named
    cache = pathlib.Path(os.environ.get("EVENKEEL_CACHE") or pathlib.Path(
        os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "evenkeel")
    built = sorted(cache.glob("cluster-*/helm"), key=lambda path: path.stat().st_mtime)
    return str(built[-1]) if built else None


def helm(*arguments):
    return subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60, check=False)


def setting(values):
    """Arguments for a dictionary of values."""
    return [word for name, value in (values or {}).items()
            for word in ("--set-json", f"{name}={json.dumps(value)}")]


def template(values=None, *more, apis=(), version=KUBERNETES):
    apis = [word for api in apis for word in ("--api-versions", api)]
    return helm("template", RELEASE, FOLDER, "--namespace", NAMESPACE, "--kube-version", version,
                *setting(values), *apis, *more)


def app_version():
    return yaml.safe_load((FOLDER / "Chart.yaml").read_text(encoding="utf-8"))["appVersion"]


def objects(values=None, *more, **options):
    """The rendered objects in order."""
    done = template(values, *more, **options)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return [document for document in yaml.safe_load_all(done.stdout) if document]


def named(found, kind, name=None):
    """The one object of that kind (and name)."""
    (one,) = [thing for thing in found if thing["kind"] == kind and
              name in (None, thing["metadata"]["name"])]
    return one


def kinds(found):
    return sorted({thing["kind"] for thing in found})


def pod_specs(found):
    """(name of the object, spec of the pod) of everything that makes pods."""
    for thing in found:
        if thing["kind"] == "Pod":
            yield thing["metadata"]["name"], thing["spec"]
        elif thing["kind"] in ("Deployment", "DaemonSet"):
            yield thing["metadata"]["name"], thing["spec"]["template"]["spec"]


def unrestricted(spec):
    """Yields each violation of the restricted pod security standard."""
    pod = spec.get("securityContext", {})
    if not pod.get("runAsNonRoot") or pod.get("runAsUser") == 0:
        yield "may be root"
    if pod.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        yield "no seccomp profile"
    for name in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(name):
            yield name
    for container in spec["containers"]:
        context = container.get("securityContext", {})
        if context.get("allowPrivilegeEscalation") is not False:
            yield "may gain privileges"
        if context.get("capabilities") != {"drop": ["ALL"]}:
            yield "has capabilities"
        if not context.get("readOnlyRootFilesystem"):
            yield "may write to its image"
    allowed = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim",
               "projected", "secret", "name"}
    for volume in spec.get("volumes", []):
        yield from (f"volume of kind {kind}" for kind in sorted(set(volume) - allowed))
