"""The table of what becomes of each function's usual call with Dask arrays."""

from collections import defaultdict

import numpy as np

_WAYS = {
    "chunk": "chunk by chunk",
    "halo": "chunk by chunk, with a halo",
    "sums": "added up: a result of no axes, or a histogram",
    "passes": "first added up, then chunk by chunk",
    "joined": "made of the chunks' regions, faces, sums or blocks",
    "declined": "declined: scikit-image gets the array, and a notification says what to give",
}


def table() -> str:
    """Functions by what becomes of their usual call, as the backend decides of it."""
    from skimage_gpu_backend.catalog import CATALOG
    from tests.differential.sweeps import SWEEPS

    found = defaultdict(lambda: defaultdict(list))
    for sweep in sorted(SWEEPS, key=lambda sweep: sweep.name):
        if CATALOG[sweep.name].images and (way := _way(sweep)):
            module, _, function = sweep.name.removeprefix("skimage.").partition(":")
            found[way][module].append(f"`{function}`")
    lines = ["| with Dask arrays | functions |", "| --- | --- |"]
    for way, told in _WAYS.items():
        modules = found[way].items()
        count = sum(len(functions) for _, functions in modules)
        listed = "; ".join(f"**{module}** {', '.join(names)}" for module, names in modules)
        lines.append(f"| {told} | {count}: {listed} |")
    return "\n".join(lines) + "\n"


def _way(sweep):
    """Key of `_WAYS`; None of a call that has no array for an image."""
    import dask.array as da

    from skimage_gpu_backend import interface, use_backends
    from skimage_gpu_backend.adapt.values import replace
    from skimage_gpu_backend.catalog import CATALOG
    from skimage_gpu_backend.plan import Passes, Sums
    from tests.differential.check import by_position, made

    arguments = made(sweep.call)
    images = [p for p in CATALOG[sweep.name].images if isinstance(arguments.get(p), np.ndarray)]
    if not images:
        return None
    for parameter in images:
        arguments[parameter] = replace(arguments[parameter], da.from_array)
    with use_backends("gpu"):
        decision = interface.gpu.decide(sweep.name, *by_position(sweep.name, arguments))
    if not decision:
        return "declined"
    reach = getattr(decision.plan, "reach", None)
    if reach is Sums:
        return "sums"
    if isinstance(reach, Passes):
        return "passes"
    halo = getattr(reach, "halo", None)
    if halo is None:
        return "joined" if decision.plan else "chunk"
    return "halo" if any(halo) else "chunk"
