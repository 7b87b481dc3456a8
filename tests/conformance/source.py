"""scikit-image's source distribution, of the version that is installed."""

import importlib.metadata
import os
import shutil
from pathlib import Path

import platformdirs


def version() -> str:
    """Of the installed scikit-image."""
    return importlib.metadata.version("scikit-image")


def tests() -> Path:
    """Folder of the tests, one folder below for each module; fetched where it is not there yet.

    Raises
    ------
    SystemExit
        The package index has no such source distribution, or is not reached.
    """
    cache = platformdirs.user_cache_path("skimage-gpu-backend")
    folder = cache / f"scikit_image-{version()}"
    if not (folder / "tests" / "skimage").is_dir():
        _fetch(folder)
    return folder / "tests" / "skimage"


def examples() -> dict[str, Path]:
    """Scripts of the gallery, by their names with the folder, as ``edges/plot_canny``."""
    folder = tests().parents[1] / "doc" / "examples"
    return {
        str(file.relative_to(folder).with_suffix("")): file
        for file in sorted(folder.rglob("plot_*.py"))
    }


def modules() -> list[str]:
    """Names of the modules that have tests."""
    return sorted(f.name for f in tests().iterdir() if any(f.rglob("test_*.py")))


def _fetch(folder):
    archive = Path(os.environ.get("PIP_FIND_LINKS", ""), f"{folder.name}.tar.gz")
    if archive.is_file():  # without a network
        shutil.unpack_archive(archive, folder.parent, filter="data")
        return
    from unearth import PackageFinder

    index = [os.environ["PIP_INDEX_URL"]] if "PIP_INDEX_URL" in os.environ else []
    finder = PackageFinder(index_urls=index, no_binary=[":all:"])
    try:
        found = finder.find_best_match(f"scikit-image=={version()}").best
        if found is None:
            raise LookupError("the package index has none")
        finder.download_and_unpack(found.link, folder)
    except Exception as error:
        raise SystemExit(f"no source distribution of scikit-image {version()}: {error}") from error
