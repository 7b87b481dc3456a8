"""The table of docs/tiles.md, made by the documentation's build: how far each function looks."""

from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.plan import Passes, Slabs, Sums

from .cases import cases, has_reach, is_cut, reach_of

KINDS = {
    "point": "its own place: a pixel with all of its channels",
    "halo": "its surroundings",
    "sums": "sums over the image (a histogram, a range, an error), which are added up over pieces",
    "passes": "first sums over the image, then its own place or its surroundings",
    "slabs": "all of the image, which is taken in slabs that are joined",
    "whole": "all of the image, so that it must fit",
}


def kind(looks) -> str:
    """Which of `KINDS` a function belongs to, from what its call looks at."""
    if looks is Sums:
        return "sums"
    if isinstance(looks, Passes):
        return "passes"
    if isinstance(looks, Slabs):
        return "slabs"
    return "halo" if any(looks.halo) else "point"


def render() -> str:
    """The table."""
    found = {name: "whole" for name in CATALOG if not has_reach(name)}
    for case in cases():
        if is_cut(case):
            found[case.sweep.name] = kind(reach_of(case))
    lines = ["| an element of the result depends on | functions |", "| --- | --- |"]
    for each, told in KINDS.items():
        names = sorted(name for name, its in found.items() if its == each)
        lines.append(f"| {told} | {len(names)}: {_by_module(names)} |")
    return "\n".join(lines) + "\n"


def _by_module(names):
    modules = {}
    for name in names:
        module, _, function = name.removeprefix("skimage.").partition(":")
        modules.setdefault(module, []).append(f"`{function}`")
    return "; ".join(f"**{module}** {', '.join(all_)}" for module, all_ in modules.items())
