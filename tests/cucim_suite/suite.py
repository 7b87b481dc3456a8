"""Where cuCIM's tests lie, by module."""

import functools
import importlib.util
from pathlib import Path


def repository() -> Path:
    """This project's root."""
    return Path(__file__).resolve().parents[2]


@functools.cache
def root() -> Path:
    """The folder of the installed cuCIM, found without importing it."""
    spec = importlib.util.find_spec("cucim")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("cuCIM is not installed: pip install --no-deps cucim-cu12")
    return Path(next(iter(spec.submodule_search_locations)))


@functools.cache
def modules() -> dict[str, Path]:
    """Test folders by name: ``color``, ``filters.rank``, ..., ``core.color``, ..."""
    found = {}
    for base, prefix in (("skimage", ""), ("core/operations", "core.")):
        for folder in sorted((root() / base).rglob("tests")):
            parts = folder.parent.relative_to(root() / base).parts
            found[prefix + ".".join(parts)] = folder
    return found


def size_of_tests(name: str) -> int:
    """Bytes of a module's tests: the large ones are started first."""
    return sum(file.stat().st_size for file in modules()[name].glob("test_*.py"))
