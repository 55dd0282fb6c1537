"""The machine below the cluster: scripts/cluster.sh, and what a cluster could leave behind."""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # exit code of scripts that cannot do it on this machine
IMAGES = ROOT / "build" / "images"
SCRIPT = ["bash", str(ROOT / "scripts" / "cluster.sh")]


def cluster(*arguments, seconds=120, check=True, **options):
    """Runs scripts/cluster.sh; its output belongs to the test's."""
    try:
        process = subprocess.run([*SCRIPT, *map(str, arguments)], timeout=seconds,
                                 stdin=subprocess.DEVNULL, text=True, **options)
    except subprocess.TimeoutExpired as error:
        raise AssertionError(f"cluster.sh {' '.join(map(str, arguments))}: not done in {seconds} s") \
            from error
    if check and process.returncode != 0:
        raise AssertionError(f"cluster.sh {' '.join(map(str, arguments))}: exit code "
                             f"{process.returncode}\n{process.stdout or ''}{process.stderr or ''}")
    return process


def where():
    """Folder of the programs, kubeconfig, state folder: as a dictionary of paths."""
    text = cluster("where", capture_output=True).stdout
    return {key: pathlib.Path(value) for key, value in
            (line.split("=", 1) for line in text.splitlines())}


def pod_processes(uid, program):
    """Process ids, as this machine counts them, of a program in the pod with that uid."""
    found = set()
    for folder, _, files in os.walk("/sys/fs/cgroup"):  # groups come and go meanwhile: no matter
        if f"pod{uid}" not in folder or "cgroup.procs" not in files:
            continue
        found.update(pid for pid in _members(folder) if _program(pid) == program)
    return sorted(found)


def _members(group):
    """Process ids in a control group; none if it has gone."""
    try:
        return [int(pid) for pid in (pathlib.Path(group) / "cgroup.procs").read_text().split()]
    except OSError:
        return []


def _program(pid):
    """The name of what a process runs; none if it has ended."""
    try:
        return os.path.basename(pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")[0])
    except OSError:
        return None


def _lines(*command):
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines())


def _processes():
    """Command lines of the cluster's programs and of what runs in its pods."""
    ours = ("containerd", "kubelet", "kube-", "kine", "coredns", "kwok", "pause", "evenkeel-",
            "node_init")
    found = set()
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # it has gone meanwhile
        names = [os.path.basename(word) for word in words[:3]]
        if any(name.startswith(start) for name in names for start in ours):
            found.add(f"{entry.name} {' '.join(words)[:200]}")
    return found


def _control_groups():
    """Folders only: which processes are where changes all the time. Those of sessions and services
    come and go, so only what a cluster could have made counts."""
    root = pathlib.Path("/sys/fs/cgroup")
    depth = 3  # the hierarchies of version 1 are one level down
    found = set()
    for folder, below, _ in os.walk(root):
        if re.search("evenkeel|kube|containerd", folder):
            found.add(folder)
        if len(pathlib.Path(folder).relative_to(root).parts) >= depth:
            below.clear()
    return found


def remains():
    """What a cluster is made of, from outside: equal before it comes and after it has gone."""
    mounts = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    return {
        "processes": _processes(),
        "mounts": {" ".join(line.split()[3:5]) for line in mounts},
        "network namespaces": _lines("ip", "netns", "list"),
        "links": {line.split(": ")[1] for line in _lines("ip", "-o", "link")},
        "routes": _lines("ip", "route"),
        "firewall": _rules(),
        "control groups": _control_groups(),
        "settings": _lines("sysctl", "net.ipv4.ip_forward", "vm.overcommit_memory", "kernel.panic"),
    }


def _rules():
    try:
        return _lines("iptables-save") - {""}
    except (OSError, subprocess.CalledProcessError):
        return set()  # no rules can be there without the program


def differences(before, after):
    """One line for each thing that came or went."""
    for kind, had in before.items():
        for thing in sorted(after[kind] - had):
            yield f"{kind}: left behind: {thing}"
        # Somebody else's processes end when they like.
        for thing in sorted(had - after[kind] if kind != "processes" else ()):
            yield f"{kind}: gone: {thing}"
