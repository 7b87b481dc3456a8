"""Planners use only what the array modules of all devices have, and do alike."""

import ast
from pathlib import Path

import pytest

import skimage_gpu_backend

PACKAGE = Path(skimage_gpu_backend.__file__).parent
PLANNERS = sorted(
    file for folder in ("functions", "primitives") for file in (PACKAGE / folder).rglob("*.py")
)
# What planners use of `xp`. NumPy and CuPy do the same under these names, in what planners need.
_NAMES = """
    abs add arange array asarray ascontiguousarray asnumpy atleast_2d atleast_3d bincount clip
    concatenate cumsum empty empty_like fft.fft2 fft.fftn fft.ifft2 fft.ifftn fft.irfft fft.irfft2
    fft.irfftn fft.rfft fft.rfft2 fft.rfftn flatnonzero full gradient indices isfinite isnan
    linalg.eigvalsh matmul may_share_memory minimum moveaxis multiply ndarray newaxis nonzero
    not_equal ones pad searchsorted sort split sqrt squeeze stack take trunc uint64 unique where
    zeros zeros_like
"""
NAMES = set(_NAMES.split())
# Methods that only CuPy's arrays have, or whose results differ, and the functions to use instead.
DIFFERENT = {"get": "to_host", "set": "from_host", "argsort": "argsort"}


def _names(tree):
    """Names of `xp` that a module uses, with their lines."""
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            parts = []
            while isinstance(node, ast.Attribute):
                parts.append(node.attr)
                line, node = node.lineno, node.value
            if isinstance(node, ast.Name) and node.id == "xp":
                yield line, ".".join(reversed(parts))


@pytest.fixture(scope="module")
def trees():
    return {file: ast.parse(file.read_text("utf-8")) for file in PLANNERS}


def test_planners_use_few_names_of_the_array_module(trees):
    used = {(file.name, *each) for file, tree in trees.items() for each in _names(tree)}
    assert [use for use in sorted(used) if use[-1] not in NAMES] == []
    assert {name for *_, name in used} == NAMES


def test_planners_call_no_method_that_differs_between_devices(trees):
    found = []
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            method, of = node.func.attr, node.func.value
            is_numpys = isinstance(of, ast.Name) and of.id == "np"
            is_dicts = method == "get" and node.args
            if method in DIFFERENT and not is_numpys and not is_dicts:
                found.append(f"{file.name}:{node.lineno}: use {DIFFERENT[method]}")
    assert found == []
