"""The machine that the cluster runs on: scripts/cluster.sh, and what a cluster could leave behind.

Two checks look for leftovers. `differences` compares the machine with a snapshot from before the cluster;
it misses what an earlier cluster had left by then. `leftovers` knows what a cluster consists of, and needs
no snapshot.
"""

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


def _command_lines():
    """The words of each process's command line, by process id."""
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            yield int(entry.name), (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # it has ended meanwhile


def processes():
    """Command lines of the cluster's programs and of what runs in its pods."""
    ours = ("containerd", "kubelet", "kube-", "kine", "coredns", "kwok", "pause", "evenkeel-",
            "node_init")
    return {f"{pid} {' '.join(words)[:200]}" for pid, words in _command_lines()
            if any(os.path.basename(word).startswith(start) for word in words[:3] for start in ours)}


def _mounts():
    """(root, mount point, file system type, source) of every mount."""
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, more = line.partition(" - ")
        kind, source = more.split()[:2]
        root, place = fields.split()[3:5]
        yield root, re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), place), kind, source


def cgroup_mounts():
    """Mount points of all hierarchies of control groups: version 1, named ones, and version 2."""
    return sorted({place for _, place, kind, _ in _mounts() if kind in ("cgroup", "cgroup2")})


def _control_groups(pattern):
    """Control groups of any hierarchy of which a part of the path matches."""
    return {folder for root in cgroup_mounts() for folder, _, _ in os.walk(root)
            if any(re.match(pattern, part) for part in pathlib.Path(folder).relative_to(root).parts)}


def snapshot():
    """The parts of the machine that a cluster changes: equal before it comes and after it has gone."""
    return {
        "processes": processes(),
        "mounts": {f"{root} {place}" for root, place, _, _ in _mounts()},
        "network namespaces": _network_namespaces(),
        "links": {line.split(": ")[1] for line in _lines("ip", "-o", "link")},
        "routes": _lines("ip", "route"),
        "firewall": _rules(),
        # Those of sessions and services come and go; only those that a cluster could have made count.
        "control groups": _control_groups(".*(evenkeel|kube|containerd)"),
        "settings": _lines("sysctl", *KUBELET_SETTINGS, "net.ipv4.ip_forward"),
    }


# The names, addresses and patterns of scripts/lib/cluster/settings.sh.
OWN_NAME = re.compile(r"evenkeel(-|0?$)")
OWN_ADDRESS = re.compile(r"10\.(77|42|43)\.")
RECORDS = ("/run/evenkeel-cluster", "/run/evenkeel-settings", "/run/evenkeel-folders")
POD_GROUP = r"kubepods|pod[0-9a-f]{8}-|cri-containerd"
KUBELET_RULE = re.compile(r"^:(KUBE|CNI)-")
# Values that a kubelet sets and that differ from the kernel's defaults.
KUBELET_SETTINGS = {"vm.overcommit_memory": "1", "kernel.panic": "10", "kernel.panic_on_oops": "1"}


def leftovers():
    """One line for each thing that belongs to a cluster of scripts/cluster.sh, whoever left it and
    whenever. Pods, rules and settings of a kubelet that is not ours are its own."""
    places = where()
    programs, state = f"{places['PROGRAMS'].parent}/cluster-", str(places["STATE"])
    found = {
        "processes": {f"{pid} {' '.join(words)[:200]}" for pid, words in _command_lines()
                      if _is_ours(pid, words, programs, state)},
        "mounts": {place for root, place, _, source in _mounts()
                   if f"{place}/".startswith(f"{state}/") or f"{root}/".startswith(f"{state}/")
                   or OWN_NAME.match(source) or OWN_NAME.match(os.path.basename(place))},
        "network namespaces": {name for name in _network_namespaces() if OWN_NAME.match(name)},
        "links": {line.split(": ")[1] for line in _lines("ip", "-o", "link")
                  if OWN_NAME.match(line.split(": ")[1].split("@")[0])},
        "routes": {line for line in _lines("ip", "route") if OWN_ADDRESS.match(line)},
        "control groups": _control_groups("evenkeel$"),
        "files": {path for path in RECORDS if os.path.exists(path)},
    }
    if not any(os.path.basename(words[0]) in ("kubelet", "k3s", "k0s", "microk8s")
               for _, words in _command_lines()):
        found["control groups"] |= _control_groups(POD_GROUP)
        found["firewall"] = {rule for rule in _rules() if KUBELET_RULE.match(rule)}
        set_by_kubelet = {f"{name} = {value}" for name, value in KUBELET_SETTINGS.items()}
        found["settings"] = (set_by_kubelet if set_by_kubelet <= _lines("sysctl", *KUBELET_SETTINGS)
                             else set())
    return sorted(f"{kind}: left behind: {thing}" for kind, things in found.items() for thing in things)


def _is_ours(pid, words, programs, state):
    """Whether a process runs a program of the cluster, names its state folder or is in one of its groups.
    A process that has ended, but is a zombie, has no command line."""
    if pid == os.getpid() or not words[0]:
        return False
    if words[0].startswith(programs):  # those of any version
        return True
    if any(f"{state}/" in word and f"{state}/log/" not in word for word in words):
        return True
    try:
        groups = pathlib.Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return False  # it has ended meanwhile
    return any(f"{group.split(':', 2)[2]}/".startswith("/evenkeel/") for group in groups)


def _network_namespaces():
    """Names only: the kernel gives a namespace a number when it is first asked for one."""
    return {line.split()[0] for line in _lines("ip", "netns", "list")}


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
        # Other processes may end at any time.
        for thing in sorted(had - after[kind] if kind != "processes" else ()):
            yield f"{kind}: gone: {thing}"
