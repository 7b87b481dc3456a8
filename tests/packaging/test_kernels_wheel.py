"""The wheel of compiled kernels: what it has is found, and nothing is compiled."""

import itertools
import json
import shutil
import subprocess
import sys

import pytest

from skimage_gpu_backend import functions
from tests.conftest import ROOT
from tests.kernels import asked

WHEEL = ROOT / "kernels_wheel"
FOUND = """
import json, sys
from skimage_gpu_backend.device import compile, cubins
from skimage_gpu_backend.device.source import kernel_source
asked = json.load(open(sys.argv[1]))
for capability in asked["capabilities"]:
    target = compile.target_of(capability)
    for source, expressions in asked["kernels"].items():
        for expression in expressions:
            key = cubins.key(kernel_source(source), expression, target)
            image = cubins.ahead(key, expression, target)
            assert image, f"{target}: {source} {expression} is to be compiled"
            assert image.code.startswith(b"\\x7fELF")
            assert image.names[expression].encode() in image.code
"""


def installed(content, directory):
    """Build the wheel for other kernels, and install it; the wheel's and the list's paths."""
    shutil.copytree(WHEEL, directory / "source")
    file = directory / "source" / "asked.json"
    file.write_text(json.dumps(content))
    built, site = directory / "built", directory / "site"
    python = [sys.executable, "-m"]
    subprocess.run(
        [*python, "build", "--wheel", "--no-isolation", "-o", built, directory / "source"],
        check=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(directory), "PYTHONPATH": str(ROOT)},
    )
    (wheel,) = built.iterdir()
    offline = ["--no-deps", "--no-index", "--target", site]
    subprocess.run([*python, "pip", "install", "--quiet", *offline, wheel], check=True)
    return wheel, file


def found(python, file, directory):
    python.path.insert(0, str(directory / "site"))
    python("-c", FOUND, file, XDG_CACHE_HOME=str(directory))


@pytest.mark.thorough
def test_kernels_of_the_wheel_are_found_where_it_is_installed(python, tmp_path):
    (source, one), (_, other) = itertools.islice(functions.kernels(), 2)
    content = {"capabilities": ["75", "90"], "kernels": {source: [one, other]}}
    _, file = installed(content, tmp_path)
    found(python, file, tmp_path)


@pytest.mark.exhaustive
def test_the_whole_wheel_is_small_and_has_all_that_is_asked_for(python, tmp_path):
    asked.main()
    wheel, file = installed(json.loads(asked.FILE.read_text()), tmp_path)
    assert wheel.stat().st_size < 60e6
    found(python, file, tmp_path)
