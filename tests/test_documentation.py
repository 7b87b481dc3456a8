"""The documentation builds without a warning, and links inside it lead somewhere."""

import contextlib
import importlib.util
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
import skimage as ski

import skimage_gpu_backend
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.catalog import CATALOG, METHODS, STEPS
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.dispatch.selection import SELECTING
from skimage_gpu_backend.environ import VARIABLES
from skimage_gpu_backend.profiling import remedies
from skimage_gpu_backend.scikit_image import signature

ROOT = Path(__file__).parent.parent


class _Page(HTMLParser):
    """What a page links to, what it loads, and the places in it that can be linked to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.places = [], [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places.add(given.get("id"))
        if tag == "a":
            self.links.append(given.get("href") or "")
        elif tag in ("script", "img", "iframe", "source", "object"):
            self.loads.append(given.get("src") or given.get("data") or "")
        elif tag == "link" and given.get("rel") in ("stylesheet", "preload", "icon"):
            self.loads.append(given.get("href") or "")


# one test: two would build twice at the same time where tests run in several processes
@pytest.mark.thorough
def test_site_builds_without_warnings_and_needs_nothing_that_is_not_there(tmp_path):
    pytest.importorskip("myst_parser", reason="the extra docs is not installed")
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("SKIMAGE_", "CUDA_SIMULATOR_"))
    }
    environment["CUDA_SIMULATOR_OPTIMIZE"] = "0"  # most kernels are launched once
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    command = ["-m", "sphinx", "-W", "--keep-going", "-q", "-n", "-b", "html", "docs"]
    done = subprocess.run(
        [sys.executable, *command, tmp_path],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    found = [path for path in tmp_path.rglob("*.html") if "_static" not in path.parts]
    pages = {path.resolve(): _Page(path) for path in found}
    assert len(pages) > 20
    assert list(_dead_links(pages)) == []
    assert list(_from_elsewhere(tmp_path, pages)) == []


def _dead_links(pages):
    """Links and anchors inside the site that lead nowhere."""
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = target.exists()
            if known and target in pages:
                known = unquote(parts.fragment) in pages[target].places
            if not known:
                yield f"{path.name}: {link}"


def _from_elsewhere(site, pages):
    """What pages, styles and pictures would fetch from other hosts."""
    for path, page in pages.items():
        yield from (f"{path.name}: {load}" for load in page.loads if urlsplit(load).netloc)
    for path in site.rglob("*"):
        if path.suffix in (".css", ".svg"):
            yield from re.findall(r"url\([\"']?((?:https?:)?//[^)\"']+)", path.read_text("utf-8"))


def test_everything_public_is_in_the_documentation():
    reference = (ROOT / "docs" / "reference.md").read_text("utf-8")
    names = [f"skimage_gpu_backend.{name}\n" for name in skimage_gpu_backend.__all__]
    missing = [name for name in names if name not in reference]
    pages = "".join(page.read_text("utf-8") for page in (ROOT / "docs").glob("*.md"))
    assert missing + [name for name in VARIABLES if f"`{name}" not in pages] == []


def test_the_diagram_has_what_selects_in_the_order_of_strength():
    diagram = (ROOT / "docs" / "images" / "selection.svg").read_text("utf-8")
    shown = re.findall(r"use_backends|SKIMAGE_\w+", diagram)
    assert shown == ["SKIMAGE_NO_DISPATCHING", "use_backends", *SELECTING]


@pytest.fixture(scope="module")
def reasons():
    """The module of the page about fallbacks that finds reasons in the source code."""
    path = ROOT / "docs" / "extensions" / "reasons.py"
    spec = importlib.util.spec_from_file_location("reasons", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


IMAGE = np.zeros((16, 16))
DECLINED = [
    (ski.filters.gaussian, (np.ma.array(IMAGE),), {}),
    (ski.filters.gaussian, (IMAGE,), {"sigma": "1"}),
    (ski.filters.gaussian, (IMAGE.astype(np.longdouble),), {}),
    (ski.filters.threshold_local, (IMAGE, 3), {"method": "generic", "param": np.max}),
    (ski.feature.canny, (IMAGE,), {"sigma": 9}),
    (ski.draw.disk, ((5, 5), 3), {}),
]


@pytest.mark.parametrize("min_size", ["0", "500000"])
def test_reasons_that_users_meet_are_on_the_page_about_fallbacks(
    enabled, monkeypatch, reasons, min_size
):
    monkeypatch.setenv("SKIMAGE_GPU_MIN_SIZE", min_size)
    monkeypatch.setenv("SKIMAGE_GPU_NOTIFY", "none")
    with use_backends("gpu", "cucim"), observe() as seen:
        for function, args, keywords in DECLINED:
            with contextlib.suppress(TypeError):
                function(*args, **keywords)
    told = {reason if key == "size" else key for call in seen for _, reason, key in call.declined}
    assert len(told) > 2
    found = [
        re.escape(text).replace("…", ".*") for text in reasons.every_reason() if text[0] != "…"
    ]
    found += [r"\w+ is .*, which the GPU does not take; .*", r"\w+ has dtype .*"]
    found += [r"\w+ is not what the GPU takes; give .*"]
    assert [reason for reason in told if not any(re.fullmatch(p, reason) for p in found)] == []


def test_every_remedy_is_for_a_reason_that_the_code_has(reasons):
    known = [*reasons.every_reason(), "no backend is selected"]
    every = remedies.SETTINGS + remedies.MACHINE + remedies.AS_IT_IS
    parts = [part for remedy in every for part in remedy.parts]
    assert [part for part in parts if not any(part in reason for reason in known)] == []


@pytest.mark.parametrize("file", ["decide.py", "availability.py"])
def test_reasons_of_the_machine_and_the_selection_have_a_remedy(reasons, file):
    found = reasons.reasons_in(reasons.PACKAGE / file)
    assert len(found) > 3
    unknown = [text for text in found if remedies.remedy(text) == remedies.UNKNOWN]
    assert unknown == []


SAID = [
    # what a microscopist met in words of ours: argument, its value, and what to write instead
    (
        ski.filters.frangi,
        (IMAGE,),
        {"mode": "constant", "cval": 0.5},
        "give cval=0, or another mode",
    ),
    (ski.feature.canny, (IMAGE,), {"mode": ["reflect", "wrap"]}, "give one mode, as 'reflect'"),
    (ski.feature.daisy, (IMAGE,), {"visualize": True}, "leave visualize out"),
    (ski.util.compare_images, (IMAGE, IMAGE), {"method": "checkerboard"}, "give 'diff' or 'blend'"),
    (ski.filters.gaussian, (np.matrix(IMAGE),), {}, "give numpy.asarray(image)"),
    (ski.filters.threshold_otsu, (np.ma.array(IMAGE),), {}, "give numpy.asarray(image)"),
]


@pytest.mark.parametrize(("function", "args", "keywords", "helps"), SAID)
def test_a_reason_says_what_to_write_instead(gpu, function, args, keywords, helps):
    assert helps in remedies.remedy(gpu.declined(function, *args, **keywords))


def test_reasons_name_the_argument_and_say_what_to_write(reasons):
    """Those of settings and the machine, which have no argument, have a remedy in the tables."""
    names = {"image", "images", "arguments", "output", "cuCIM", "\N{HORIZONTAL ELLIPSIS}"}
    for function in (*CATALOG, *STEPS, *METHODS):
        names |= signature(function).parameters.keys()
    vague = [
        reason
        for reason in reasons.every_reason()
        if not (remedies.said(reason) and re.match(r"\w+|\S", reason)[0] in names)
    ]
    tables = (*remedies.SETTINGS, *remedies.MACHINE, *remedies.AS_IT_IS)
    known = [part for remedy in tables for part in remedy.parts]
    assert [reason for reason in vague if not any(part in reason for part in known)] == []


def test_what_nobody_can_change_is_no_advice():
    assert not remedies.can_be_changed("the image is rounded; nothing to change")
    assert remedies.can_be_changed("cval is not 0; give cval=0")
