"""The package's floors: who may import whom, and no circle anywhere."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import skimage_gpu_backend

PACKAGE = Path(skimage_gpu_backend.__file__).parent
NAME = PACKAGE.name

# From top to bottom: a module imports what stands beside it or below it. A folder stands for all
# of it that is not named itself.
FLOORS = [
    floor.split()
    for floor in (
        "face __main__ _cache _compile _memory _over _over_whole _status demo explain profiling"
        " pytest_plugin runner sizes.calls sizes.figure sizes.timing sizes.tune",
        "dispatch interface lazy",
        "cucim info",
        "decide",
        "again execute of_methods planned targets",
        "tiles",
        "functions",
        "primitives",
        "device devices plan",
        "adapt arguments byte_order sizes",
        "_warn _words availability call catalog decision environ failures"
        " methods notify on_host reasons scikit_image trouble upstream",
    )
]
# What the front hall knows beside itself: kinds of arrays, the way of device arrays to the host,
# and what is read from the user and told to him.
HALL_MAY = {"_warn", "adapt.host", "adapt.kinds", "environ", "methods", "notify", "trouble"}
# Which functions there are, how scikit-image is laid out, and whose mistakes exceptions are.
HALL_MAY |= {"catalog", "failures", "on_host", "upstream.layout"}


def _modules():
    """Module -> its path; the package itself is its face."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name or "face"] = path
    return found


MODULES = _modules()


def _imports(name):
    """Modules of the package that a module imports, anywhere in its text."""
    path = MODULES[name]
    package = path.relative_to(PACKAGE).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == NAME:
                    yield alias.name.partition(".")[2] or "face"
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = list(package[: len(package) - node.level + 1])
                base += node.module.split(".") if node.module else []
            elif node.module.split(".")[0] == NAME:
                base = node.module.split(".")[1:]
            else:
                continue
            for alias in node.names:
                inside = ".".join([*base, alias.name])
                yield inside if inside in MODULES else ".".join(base) or "face"


ARROWS = {name: set(_imports(name)) - {name} for name in MODULES}


def _floor(name):
    """Number of a module's floor, counted from the top."""
    while True:
        for number, floor in enumerate(FLOORS):
            if name in floor:
                return number
        if "." not in name:
            return -1
        name = name.rpartition(".")[0]


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_imports_nothing_from_above(name):
    upwards = sorted(other for other in ARROWS[name] if _floor(other) < _floor(name))
    assert upwards == []


def test_no_imports_make_a_circle():
    try:
        TopologicalSorter(ARROWS).prepare()
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))


@pytest.mark.parametrize("name", sorted(n for n in MODULES if n.startswith("dispatch")))
def test_the_front_hall_knows_nothing_of_the_workshop(name):
    beyond = {o for o in ARROWS[name] if not o.startswith("dispatch") and o not in HALL_MAY}
    assert beyond == set()
