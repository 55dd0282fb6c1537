"""Nodes of a share of a core each, for programs that Evenkeel does not start: control groups with a CPU quota, as
coordinator/speed_control.h has them for workers. Linux, Python standard library only."""

import math
import os
import pathlib

PERIOD_US = 20_000  # that of our workers, so that both are throttled alike
LEAST_QUOTA_US = 1_000  # the kernel takes none below
ENTER = 'echo $$ >"$0" && exec "$@"'


class SharesFailed(Exception):
    """A control group could not be made; the text says why."""


def mounted(kind, option=""):
    """Mount points of control groups of a kind, cgroup or cgroup2, with this option."""
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        _, point, found, options, *_ = line.split()
        if found == kind and (not option or option in options.split(",")):
            yield pathlib.Path(point)


def quota_files(quota, period):
    """(parent of new groups, what to write into which of their files), for each version of control groups here."""
    for point in mounted("cgroup2"):
        if "cpu" in (point / "cgroup.subtree_control").read_text().split():
            yield point, (("cpu.max", f"{quota} {period}"),)
    for point in mounted("cgroup", "cpu"):
        yield point, (("cpu.cfs_period_us", str(period)), ("cpu.cfs_quota_us", str(quota)))


class CpuShares:
    """A control group for each node while the context lasts. `shares`: of a core, from 0.001, by name. Raises
    SharesFailed where control groups are not permitted."""

    def __init__(self, shares):
        self.shares = shares
        self._groups = {}

    def __enter__(self):
        try:
            for name, share in self.shares.items():
                self._groups[name] = self._make(name, share)
        except (OSError, SharesFailed) as error:
            self.__exit__()
            raise SharesFailed(f"no control groups with a CPU quota here: {error}") from None
        return self

    def __exit__(self, *_):
        for group in self._groups.values():
            group.rmdir()
        self._groups = {}

    @staticmethod
    def _make(name, share):
        period = max(PERIOD_US, math.ceil(LEAST_QUOTA_US / share))
        for parent, files in quota_files(max(LEAST_QUOTA_US, round(share * period)), period):
            group = parent / f"evenkeel-{os.getpid()}-{name}"
            group.mkdir()
            try:
                for file, text in files:
                    (group / file).write_text(text)
            except OSError:
                group.rmdir()
                raise
            return group
        raise SharesFailed("none are mounted that hand out CPU")

    def entry(self, name):
        """File into which a process of the node writes its id."""
        return self._groups[name] / "cgroup.procs"

    def command(self, name, *words):
        """The words of a command that runs on the node."""
        return ["/bin/sh", "-c", ENTER, str(self.entry(name)), *map(str, words)]
