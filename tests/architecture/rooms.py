"""The rooms of the project and who may know whom: section "Rooms" of docs/architecture.md."""

import re

import cmake_files

# The rooms that a room may include and link. Rooms without an entry (tests, bench) may use all rooms.
ALLOWED = {
    "base": set(),
    "platform_values": {"base"},
    "platform": {"base", "platform_values"},
    "http": {"base"},
    "model": {"base"},
    "model_parsing": {"base", "model"},
    "scheduling": {"base", "model"},
    "techniques": {"base", "model", "scheduling"},
    "engine": {"base", "model", "scheduling"},
    "protocol": {"base", "model", "engine"},
    "metrics": {"base", "model", "engine"},
    "report": {"base", "model"},
    "launcher": set(),
    "workloads": {"base", "launcher", "model", "model_parsing"},
    "files": {"base", "protocol", "workloads"},
    "coordinator_loop": {"base", "model", "scheduling", "engine", "workloads"},
    "coordinator": {"base", "coordinator_loop", "http", "model", "model_parsing", "scheduling", "engine", "protocol",
                    "files", "metrics", "report", "workloads"},
    "worker_loop": {"base", "model", "engine"},
    "worker": {"base", "model", "model_parsing", "scheduling", "engine", "protocol", "files", "metrics",
               "worker_loop", "workloads"},
    "simulator": {"base", "model", "model_parsing", "scheduling", "techniques", "engine", "report",
                  "workloads", "coordinator_loop", "worker_loop"},
    "kubernetes": {"base", "model_parsing"},
    "examples/kubernetes-controller": {"base", "kubernetes"},
    "cluster": {"base", "model"},
    "cluster_json": {"base", "model", "model_parsing", "cluster"},
    "operator/identity": {"base", "model"},
    "operator/manifests": {"base", "model", "model_parsing", "cluster", "cluster_json"},
    "operator/plan": {"base", "model", "scheduling", "cluster"},
    "operator/history": {"base", "metrics", "scheduling", "kubernetes", "operator/plan"},
    "operator": {"base", "model", "http", "metrics", "kubernetes", "cluster", "cluster_json",
                 "operator/history", "operator/identity", "operator/manifests", "operator/plan"},
    "labeller": {"base", "model", "scheduling", "workloads", "kubernetes"},
    "docker": {"cli", "coordinator", "coordinator_loop", "worker", "worker_loop", "workloads"},
    "cli": {"base", "http", "model", "model_parsing", "cluster", "cluster_json", "scheduling", "engine", "protocol", "metrics",
            "report", "workloads", "coordinator", "coordinator_loop", "worker", "worker_loop", "simulator"},
}

# The files of platform/ without I/O; the others start processes and use files and signals.
PLATFORM_VALUES = re.compile(r"platform/(backoff|text|time)\.\w+")

# Rooms that decide and do nothing else: no threads, files, sockets, clocks, chance.
PURE = {"platform_values", "model", "scheduling", "techniques", "engine", "cluster", "operator/plan"}

# platform/ lies between base and everything else; rooms without I/O get its values only.
for _room, _known in ALLOWED.items():
    if _room not in {"base", "platform_values", "platform"}:
        _known.add("platform_values")
        if _room not in PURE | {"model_parsing", "cluster_json"}:
            _known.add("platform")

# Published techniques that the product does not offer.
TECHNIQUES = "core/scheduling/techniques/"

# The coordinator's loop and its seams, which the simulator drives: no gRPC, no SQLite, no thread.
COORDINATOR_LOOP = re.compile(
    r"coordinator/(coordinator_loop|job_version|journal_queue|loop_inbox|record_store)\.\w+")

# The worker's loop and its seams, which the simulator drives: no gRPC, no thread, no workload.
WORKER_LOOP = re.compile(r"worker/(connection_keeper|transfer_meter|worker_loop)\.\w+")

# The files of cluster/ that know JSON; the others are values without formats.
CLUSTER_JSON = re.compile(r"cluster/(json_fields|\w+_json)\.\w+")


def parsing_stems(tree):
    """The files of core/model that read JSON and YAML: those of the target model_parsing."""
    lists = {"core/CMakeLists.txt": tree.get("core/CMakeLists.txt", "")}
    for target in cmake_files.targets(lists):
        if target.name == "evenkeel_model_parsing":
            return {source.rsplit(".", 1)[0] for source in target.sources}
    return set()


def room_of(path, parsing=frozenset()):
    """The room of a file or an include path; None outside of all rooms."""
    if path.rsplit(".", 1)[0] in parsing:
        return "model_parsing"
    if path.startswith(TECHNIQUES):
        return "techniques"
    if PLATFORM_VALUES.fullmatch(path):
        return "platform_values"
    if COORDINATOR_LOOP.fullmatch(path):
        return "coordinator_loop"
    if WORKER_LOOP.fullmatch(path):
        return "worker_loop"
    if CLUSTER_JSON.fullmatch(path):
        return "cluster_json"
    parts = path.split("/")
    if "/".join(parts[:2]) in ALLOWED and len(parts) > 2:
        return "/".join(parts[:2])
    room = parts[1] if parts[0] == "core" and len(parts) > 2 else parts[0]
    return room if room in ALLOWED else None


def is_pure(path, parsing=frozenset()):
    return room_of(path, parsing) in PURE
