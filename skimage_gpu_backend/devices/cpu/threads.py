"""How many threads a call on the CPU uses."""

import contextlib
import functools
import os
import sys
from contextvars import ContextVar
from pathlib import Path

from ...environ import reader

_limit = ContextVar("skimage_gpu_backend.devices.cpu.threads", default=None)
_variables = reader("OMP_NUM_THREADS"), reader("SKIMAGE_BACKENDS_THREADS")


def count() -> int:
    """Threads that a call may use now.

    All cores that the process may use, limited by ``OMP_NUM_THREADS``,
    ``SKIMAGE_BACKENDS_THREADS`` and `limited_to`. One in a process of `multiprocessing` where
    neither variable is set: its siblings use the other cores.
    """
    most = cores()
    is_set = False
    for read in _variables:
        limit = read()
        if limit is not None:
            is_set = True
            most = min(most, limit)
    if not is_set and _is_one_of_many():
        return 1
    limit = _limit.get()
    return most if limit is None else min(most, limit)


@contextlib.contextmanager
def limited_to(limit):
    """Context in which calls use at most so many threads.

    Parameters
    ----------
    limit : int or None
        None: an outer context does not count either.
    """
    token = _limit.set(limit)
    try:
        yield
    finally:
        _limit.reset(token)


@functools.cache
def cores() -> int:
    """Cores that the process may use, by its affinity and by the quota of its cgroups."""
    return max(1, min([len(os.sched_getaffinity(0)), *quotas()]))


def _is_one_of_many():
    """Whether `multiprocessing` started this process."""
    # where nothing has imported it, it started nothing
    parent = getattr(sys.modules.get("multiprocessing"), "parent_process", None)
    return parent is not None and parent() is not None


def quotas(membership=Path("/proc/self/cgroup"), root=Path("/sys/fs/cgroup")):
    """Cores by the quota of each cgroup that the process is in; a part of a core counts as one.

    Parameters
    ----------
    membership : Path
        Lists the cgroups, as ``0::/path`` (version 2) or ``1:cpu,cpuacct:/path`` (version 1).
    root : Path
        Where they are mounted.

    Yields
    ------
    int
    """
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        base = root / controllers
        group = base / path.strip("/")  # in a container it may not exist, but `base` does
        for folder in (group, *group.parents):
            with contextlib.suppress(OSError, ValueError):  # ValueError: "max", no quota
                yield _quota(folder, version=1 if controllers else 2)
            if folder == base:
                break


def _quota(folder, version):
    if version == 2:
        quota, period = (folder / "cpu.max").read_text().split()
    else:
        quota, period = ((folder / f"cpu.cfs_{n}_us").read_text() for n in ("quota", "period"))
    quota, period = int(quota), int(period)
    if quota <= 0:
        raise ValueError("no quota")
    return -(-quota // period)
