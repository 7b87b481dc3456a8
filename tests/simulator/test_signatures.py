"""The stand-in against the real CuPy: no name of its own, and the same parameters and defaults.

The real one is asked in a process of its own, where the simulator is not active.
"""

import ast
import importlib
import importlib.util
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import cupy
import pytest
from describe import describe

HERE = Path(__file__).parent
# What the stand-in has besides: reasons here.
OURS = {
    "cupy": {"show_config"},  # says that this is the stand-in
}
# Parameters that differ: reasons here.
DIFFERENT = {
    "cupy.RawModule",  # takes no source by position, whatever its docstring says
    "cupy.ndarray",  # CuPy's constructor hides its parameters
    "cupy.ufunc",  # nobody makes one
}


def modules():
    """Public modules of the stand-in."""
    found = []
    for package in ("cupy", "cupyx"):
        found.append(package)
        path = importlib.import_module(package).__path__
        for module in pkgutil.walk_packages(path, f"{package}."):
            if not any(part.startswith("_") for part in module.name.split(".")):
                found.append(module.name)
    return sorted(found)


@pytest.fixture(scope="module")
def real():
    """What the real CuPy has in the same modules."""
    environment = {**os.environ, "SKIMAGE_GPU_SIMULATOR": "0"}
    command = [sys.executable, str(HERE / "describe.py"), *modules()]
    process = subprocess.run(command, capture_output=True, text=True, env=environment)
    if "No module named 'cupy'" in process.stderr:
        pytest.skip("needs the real CuPy, which need not find a GPU")
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def compared(where, ours, real):
    """Complaints about names that the real CuPy lacks or that take other parameters."""
    for name, entry in ours.items():
        full = f"{where}.{name}"
        if name not in real:
            if name not in OURS.get(where, ()):
                yield f"{full}: CuPy has no such name"
            continue
        theirs = real[name]
        if entry["kind"] != theirs["kind"]:
            yield f"{full}: a {entry['kind']}, in CuPy a {theirs['kind']}"
        elif theirs["signature"] is not None and full not in DIFFERENT:
            mine, other = map(simplified, (entry, theirs))
            if mine != other:
                yield f"{full}:\n    ours   {mine}\n    CuPy's {other}"
        if "members" in entry and "members" in theirs:
            yield from compared(full, entry["members"], theirs["members"])


def simplified(entry):
    """What is compared: of a ufunc's loops not those for bfloat16 and structures."""
    signature = entry["signature"]
    if entry["kind"] != "ufunc":
        return signature
    inputs, outputs, loops = signature
    return [inputs, outputs, [loop for loop in loops if not {"E", "V"} & set(loop)]]


@pytest.mark.parametrize("module", modules())
def test_names_and_parameters_are_cupys(module, real):
    complaints = list(
        compared(module, describe([module], declared=module != "cupy")[module], real[module])
    )
    assert not complaints, "\n".join(complaints)


def chains(path):
    """Dotted names below `cupy` and `cupyx` that a file uses."""
    tree = ast.parse(path.read_text())
    aliases, used = {}, set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                top = name.name.split(".")[0]
                aliases[name.asname or top] = name.name if name.asname else top
                used.add(name.name)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                aliases[name.asname or name.name] = f"{node.module}.{name.name}"
                used.add(f"{node.module}.{name.name}")

    def dotted(node):
        if isinstance(node, ast.Name):
            return aliases.get(node.id)
        if isinstance(node, ast.Attribute) and (owner := dotted(node.value)):
            return f"{owner}.{node.attr}"
        return None

    used |= {name for node in ast.walk(tree) if (name := dotted(node))}
    return {name for name in used if name.split(".")[0] in ("cupy", "cupyx")}


def resolves(name):
    """Whether a dotted name exists in the stand-in."""
    value, parts = importlib.import_module(name.split(".")[0]), name.split(".")
    for index, part in enumerate(parts[1:], 2):
        if not hasattr(value, part):
            try:
                importlib.import_module(".".join(parts[:index]))
            except ImportError:
                return False
        value = getattr(value, part)
    return True


@pytest.mark.thorough
def test_every_name_that_cucim_uses_is_there_if_cupy_has_it():
    spec = importlib.util.find_spec("cucim")
    if spec is None:
        pytest.skip("needs cuCIM")
    root = Path(spec.submodule_search_locations[0])
    files = [file for part in ("skimage", "core") for file in (root / part).rglob("*.py")]
    missing = sorted(name for name in set().union(*map(chains, files)) if not resolves(name))
    there = real_names(missing)
    assert not there


def real_names(names):
    """Those of the names that the real CuPy has."""
    code = """
import importlib, sys
for name in sys.argv[1:]:
    parts = name.split(".")
    try:
        value = importlib.import_module(parts[0])
        for index, part in enumerate(parts[1:], 2):
            if not hasattr(value, part):
                importlib.import_module(".".join(parts[:index]))
            value = getattr(value, part)
    except (ImportError, AttributeError):
        continue
    print(name)
"""
    environment = {**os.environ, "SKIMAGE_GPU_SIMULATOR": "0"}
    command = [sys.executable, "-c", code, *names]
    process = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return process.stdout.split()


def test_the_comparison_sees_a_difference(real):
    """The check itself: another default, another name and a name of our own are noticed."""
    mine = describe(["cupy"])["cupy"]
    mine["roll"]["signature"][2][2] = "0"
    mine["sort"]["signature"][1][1] = "KEYWORD_ONLY"
    mine["flip"]["signature"][0][0] = "m"
    mine["rolled"] = mine["roll"]
    names = {complaint.split(":")[0] for complaint in compared("cupy", mine, real["cupy"])}
    assert {"cupy.roll", "cupy.flip", "cupy.sort", "cupy.rolled"} <= names
    assert cupy.__version__.endswith("simulator")
