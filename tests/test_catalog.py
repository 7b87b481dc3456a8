"""The catalog says the truth about scikit-image, about our rooms and about cuCIM."""

import inspect
import subprocess
import sys

import pytest

from skimage_gpu_backend import functions, info
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.scikit_image import function_called

# Parameters that scikit-image 0.26 does not have.
NEW = {"model_kwargs", "prescale"}


@pytest.mark.parametrize("name", sorted(CATALOG))
def test_each_name_is_a_public_function_with_these_parameters(name):
    row = CATALOG[name]
    function = function_called(name)
    assert inspect.isfunction(function)
    parameters = inspect.signature(function).parameters
    assert set(row.images) <= set(parameters)
    assert set(row.beside) <= set(parameters)


@pytest.mark.parametrize("name", sorted(CATALOG))
def test_each_room_has_the_function_in_scikit_images_signature(name):
    theirs, ours = inspect.signature(function_called(name)), inspect.signature(functions.find(name))
    named = [p for p in theirs.parameters.values() if p.kind is not p.VAR_KEYWORD]
    # a planner has the parameters of all versions, and refuses those of newer ones
    names, further = (
        [n for n in ours.parameters if n in theirs.parameters or n not in NEW],
        len(named),
    )
    assert names[:further] == [p.name for p in named]
    # what scikit-image takes as **kwargs may be spelled out
    assert not names[further:] or len(named) < len(theirs.parameters)
    for parameter in named:
        assert ours.parameters[parameter.name].kind == parameter.kind
        default = ours.parameters[parameter.name].default
        if getattr(parameter.default, "__name__", "") == "<lambda>":  # both do nothing
            assert default(None) is parameter.default(None) is None
        else:
            assert default == parameter.default


def test_info_lists_the_catalog():
    assert info.gpu().supported_functions == set(CATALOG)
    assert info.cucim().supported_functions <= set(CATALOG)


def test_info_imports_nothing_heavy():
    code = (
        "import sys, skimage.util._backends; before = set(sys.modules)\n"
        "import skimage_gpu_backend.info as info; info.gpu(); info.cucim()\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    imported = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert [name for name in imported if name.split(".")[0] != "skimage_gpu_backend"] == []
    assert "skimage_gpu_backend.decide" not in imported
