"""Private names of scikit-image: one module imports them, and a missing one declines calls."""

import ast
import importlib
from pathlib import Path

import numpy as np
import pytest
import skimage as ski

import skimage_gpu_backend
from skimage_gpu_backend import scikit_image, use_backends
from tests.upstream import upstream

PACKAGE = Path(skimage_gpu_backend.__file__).parent
# `info` must import the protocol's own module and nothing else.
ALLOWED = {"scikit_image.py": None, "info.py": "skimage.util._backends"}


def _private_imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                yield node.module, alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, ""


def _is_private(module, name):
    root, *inner = module.split(".")
    if root not in ("skimage", "_skimage2"):
        return False
    if root == "_skimage2" or any(part.startswith("_") for part in (*inner, name)):
        return True
    return bool(name) and not hasattr(importlib.import_module(module), "__all__")


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: p.name)
def test_private_names_are_imported_in_one_module(path):
    found = {pair for pair in _private_imports(path) if _is_private(*pair)}
    allowed = ALLOWED.get(path.name, ())
    assert allowed is None or {module for module, _ in found} <= {allowed}


@pytest.mark.parametrize("module", scikit_image.PRIVATE)
def test_every_private_name_is_in_the_installed_version(module):
    for name in scikit_image.PRIVATE[module].split():
        if name != "*":
            getattr(scikit_image.private(module), name)


@pytest.mark.parametrize(
    ("module", "name", "affected", "others"),
    [
        (
            "transform.radon_transform",
            "_get_fourier_filter",
            [lambda i: ski.transform.iradon(i)],
            [lambda i: ski.transform.radon(i, circle=False), lambda i: ski.filters.gaussian(i)],
        ),
        (
            "segmentation._slic",
            "_enforce_label_connectivity_cython",
            [lambda i: ski.segmentation.slic(i, channel_axis=None)],
            [lambda i: ski.segmentation.slic(i, channel_axis=None, enforce_connectivity=False)],
        ),
    ],
)
def test_a_missing_name_declines_exactly_the_calls_that_need_it(
    however_small, monkeypatch, module, name, affected, others
):
    image = np.random.default_rng(0).random((40, 50)).astype(np.float32)
    holders = [importlib.import_module(f"skimage.{module}"), upstream(module)]
    expected = [call(image) for call in (*affected, *others)]
    looked_up = scikit_image.Private.__getattr__

    def missing(private, attribute):
        if attribute == name:
            with monkeypatch.context() as patch:
                for holder in holders:
                    patch.delattr(holder, name, raising=False)
                return looked_up(private, attribute)
        return looked_up(private, attribute)

    monkeypatch.setattr(scikit_image.Private, "__getattr__", missing)
    for call, wanted in zip((*affected, *others), expected, strict=True):
        with use_backends("gpu"), skimage_gpu_backend.profile() as profile:
            np.testing.assert_allclose(call(image), wanted, rtol=1e-5, atol=1e-5)
        (tally,) = profile.tallies
        assert tally.on_device == (call in others), profile.reasons
        if call in affected:
            assert any(f"{name} is not in scikit-image" in r for r in profile.reasons.values())
