"""Record the digests of scikit-image's functions: ``python -m tests.record_digests 0.26.0``.

Each version that is named is downloaded as a wheel, which is read and not imported. A version
belongs here once the tests have passed with it.
"""

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from skimage_gpu_backend import upstream
from skimage_gpu_backend.catalog import CATALOG, METHODS, SKIMAGE2, STEPS
from skimage_gpu_backend.methods import AS_FUNCTION, OWN_FUNCTIONS
from skimage_gpu_backend.upstream.digest import Digests
from skimage_gpu_backend.upstream.sources import Sources

FILE = Path(upstream.__file__).with_name("digests.json")
NAMES = sorted({*CATALOG, *METHODS, *STEPS, *SKIMAGE2, *AS_FUNCTION} - {*OWN_FUNCTIONS})


def record(versions):
    """For each function its digests, with the versions that have them."""
    recorded = {name: {} for name in NAMES}
    for version in versions:
        with tempfile.TemporaryDirectory() as folder:
            digests = Digests(Sources(zipfile.Path(_wheel(version, folder))))
            for name in NAMES:
                if digest := digests.of(name):
                    recorded[name].setdefault(digest, []).append(version)
    return recorded


def _wheel(version, folder):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--pre"]
    command += ["--only-binary=:all:", "--python-version=3.12", f"--dest={folder}"]
    subprocess.run([*command, f"scikit-image=={version}"], check=True)
    (wheel,) = Path(folder).glob("*.whl")
    return wheel


if __name__ == "__main__":
    lines = (f"{json.dumps(n)}: {json.dumps(d)}" for n, d in record(sys.argv[1:]).items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
