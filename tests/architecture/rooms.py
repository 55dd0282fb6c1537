"""The rooms of the project and who may know whom: section "Rooms" of docs/architecture.md."""

import cmake_files

# What a room may include and link. Rooms that are missing (tests, bench) may use everything.
ALLOWED = {
    "base": set(),
    "model": {"base"},
    "model_parsing": {"base", "model"},
    "scheduling": {"base", "model"},
    "engine": {"base", "model", "scheduling"},
    "protocol": {"base", "model", "engine"},
    "metrics": {"base", "model", "engine"},
    "report": {"base", "model"},
    "workloads": {"base", "model", "model_parsing"},
    "coordinator": {"base", "model", "model_parsing", "scheduling", "engine", "protocol", "metrics",
                    "report", "workloads"},
    "worker": {"base", "model", "model_parsing", "scheduling", "engine", "protocol", "metrics",
               "workloads"},
    "simulator": {"base", "model", "model_parsing", "scheduling", "engine", "workloads"},
    "operator": {"base", "model", "model_parsing", "scheduling", "protocol", "metrics",
                 "operator/kube"},
    "operator/kube": {"base", "model_parsing"},
    "labeller": {"base", "model", "scheduling", "workloads", "operator/kube"},
    "cli": {"base", "model", "model_parsing", "scheduling", "engine", "protocol", "metrics", "report",
            "workloads", "coordinator", "worker", "simulator"},
}

# Rooms that decide and do nothing else: no threads, files, sockets, clocks, chance.
PURE = {"model", "scheduling", "engine", "operator/plan"}


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
    parts = path.split("/")
    room = parts[1] if parts[0] == "core" and len(parts) > 2 else parts[0]
    inner = "/".join(parts[:2])
    return inner if inner in ALLOWED else room if room in ALLOWED else None


def is_pure(path, parsing=frozenset()):
    in_plan = path.startswith("operator/plan/")
    return in_plan or room_of(path, parsing) in PURE
