"""Random calls of functions and methods give what scikit-image gives, also where they raise."""

import fnmatch
import itertools
import tomllib
from pathlib import Path

import pytest

from skimage_gpu_backend.catalog import spoken

from .compare import KINDS
from .run import names, one, plan, seed_of

# kinds of faults that are known and not mended yet: none of them hides another kind
OPEN = tomllib.loads((Path(__file__).parent / "open.toml").read_text()).get("open", [])
CALLS = 25  # of each: nine thousand in all
MANY = 76  # with each other seed
SEEDS = [(1, CALLS, pytest.mark.thorough)]
SEEDS += [(seed, MANY, pytest.mark.exhaustive) for seed in (11, 12, 13, 14, 15)]


def _known(name):
    """Kinds of differences that are open for a function."""
    rows = (row for row in OPEN if any(_stands_for(p, name) for p in row["functions"]))
    return {(name, row["kind"]) for row in rows}


def _stands_for(pattern, name):
    return fnmatch.fnmatch(spoken(name), pattern)


@pytest.mark.parametrize(
    "name, seed, count",
    [
        pytest.param(name, seed, count, id=f"{spoken(name)}-{seed}", marks=mark)
        for seed, count, mark in SEEDS
        for name in names()
    ],
)
def test_random_calls_give_what_scikit_image_gives(name, seed, count, mistakes):
    known = _known(name)
    for _, call in itertools.islice(plan([name], seed_of(name, seed)), count):
        for found in one(name, call, known).found:
            assert (name, found.kind) in known, (
                f"{KINDS[found.kind]}: {found.told}\n\n{found.program}\n"
                f"python -m tests.fuzz --functions {spoken(name)} --seed {call} --count 1"
            )
    mistakes.clear()  # they are found as "unplanned"


def test_open_faults_concern_functions_and_kinds_that_exist():
    for row in OPEN:
        assert all(map(names, row["functions"]))
        assert row["kind"] in KINDS
        assert row["why"].endswith(".")
