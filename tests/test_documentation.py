"""The documentation builds without a warning, and links inside it lead somewhere."""

import contextlib
import importlib.util
import inspect
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
from skimage_gpu_backend import functions, use_backends
from skimage_gpu_backend.catalog import CATALOG, METHODS, STEPS
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.dispatch.selection import SELECTING
from skimage_gpu_backend.environ import VARIABLES
from skimage_gpu_backend.profiling import remedies

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
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", min_size)
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")
    with use_backends("gpu", "cucim"), observe() as seen:
        for function, args, keywords in DECLINED:
            with contextlib.suppress(TypeError):
                function(*args, **keywords)
    told = {reason if key == "size" else key for call in seen for _, reason, key in call.declined}
    assert len(told) > 2
    found = [
        re.escape(text).replace("…", ".*") for text in reasons.every_reason() if text[0] != "…"
    ]
    found += [r"\w+ is .*, which kernels do not take; .*", r"\w+ has dtype .*"]
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
    (
        ski.transform.integral_image,
        (IMAGE,),
        {"dtype": np.float32},
        "leave dtype out, which changes the result",
    ),
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
        names |= inspect.signature(functions.find(function)).parameters.keys()
    vague = [
        reason
        for reason in reasons.every_reason()
        if not (remedies.said(reason) and re.match(r"\w+|\S", reason)[0] in names)
    ]
    tables = (*remedies.SETTINGS, *remedies.MACHINE, *remedies.AS_IT_IS)
    known = [part for remedy in tables for part in remedy.parts]
    assert [reason for reason in vague if not any(part in reason for part in known)] == []


# Suggestions that drop an argument, name another option or function, or rewrite the image.
ANOTHER_CALL = (
    r"leave .*out|use \w|give [a-z_]+=\w|another (mode|level|one$)|one mode|nan_to_num|img_as_"
    r"|rgb2gray|relabel_sequential|\[\.\.\., |!= 0|> 0\b|order 0 or 1|'\w+' or '\w+'"
    r"|numpy\.mean|smaller integers"
)
# The beginnings of those that keep the result, and why.
KEEPS = {
    "ar has labels for": "sizes do not depend on the labels' numbers, which the user gets back",
    "axis is empty": "all axes are meant",
    "buffer_size is not a number": "with a mask it is ignored",
    "copy=False": "the result is taken",
    "in_place is set": "the result is taken",
    "indices is given": "the suggestion is what it does",
    "image has one axis, whose integral": "the suggestion is what it does",
    "mode or cval is given with behavior='rank'": "they are ignored",
    "out ": "the result is taken",
    "properties has": "the other columns are the same",
    "reduce_func is none of": "the suggestion is what it does",
    "rescale_intensity=True": "the suggestion is what it does",
    "return_mapping": "the result is the same without it",
    "table is a sparse matrix": "it is made of the images then",
    "user_params has a callback": "it only looks on",
    "visualize=True": "the features are the same without the picture",
    "workers": "they only share the work",
    "\N{HORIZONTAL ELLIPSIS}.\N{HORIZONTAL ELLIPSIS} is not in scikit-image": "of the same call",
}
# ... and of those that are about what scikit-image refuses, so that there is no result.
REFUSED = (
    "anti_aliasing_sigma is not",
    "behavior is no text",
    "h is not a positive number",
    "image has no elements",
    "init_level_set",
    "initial_guess is not a number",
    "mask has values other than 0 and 1",
    "masks is empty",
    "method is not a text",
    "mode is neither a name",
    "mode is no ",
    "mode is not a string",
    "mode is unknown",
    "rng is",
    "tolerance is NaN",
    "user_params is no dictionary",
    "wavelet is no",
    "\N{HORIZONTAL ELLIPSIS} has values other than 0 and 1",
)


def test_a_suggestion_keeps_the_result_or_states_that_it_changes(reasons):
    silent = [
        reason
        for reason in reasons.every_reason()
        if re.search(ANOTHER_CALL, remedies.said(reason))
        and "changes the result" not in reason
        and not reason.startswith((*KEEPS, *REFUSED))
    ]
    assert silent == []
    used = reasons.every_reason()
    assert [k for k in (*KEEPS, *REFUSED) if not any(r.startswith(k) for r in used)] == []


RANDOM = np.random.default_rng(0).random((40, 40))
BYTES = (255 * RANDOM).astype(np.uint8)
MASKED = np.ma.masked_array(RANDOM, RANDOM > 0.9)
SEEDS = np.zeros((40, 40), int)
SEEDS[3, 3], SEEDS[30, 30] = 1, 2
SUGGESTED = [
    # a call that is declined, and what its reason suggests to write instead
    (ski.segmentation.watershed, (RANDOM, SEEDS), {"compactness": 0.1}, (RANDOM, SEEDS), {}),
    (
        ski.transform.resize,
        (BYTES, (20, 20)),
        {"order": 0, "anti_aliasing": True},
        (BYTES, (20, 20)),
        {"order": 0, "anti_aliasing": False},
    ),
    (
        ski.filters.threshold_local,
        (RANDOM, 3),
        {"method": "generic", "param": np.max},
        (RANDOM, 3),
        {"method": "mean"},
    ),
    (
        ski.filters.frangi,
        (RANDOM,),
        {"mode": "constant", "cval": 0.5},
        (RANDOM,),
        {"mode": "constant", "cval": 0},
    ),
    (ski.feature.canny, (RANDOM,), {"mode": ["reflect", "wrap"]}, (RANDOM,), {"mode": "wrap"}),
    (ski.filters.threshold_otsu, (MASKED,), {}, (np.asarray(MASKED),), {}),
    (ski.filters.gaussian, (np.matrix(RANDOM),), {}, (RANDOM,), {}),
    (ski.filters.gaussian, (RANDOM.astype(np.longdouble),), {}, (RANDOM,), {}),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("function", "args", "keywords", "better", "others"), SUGGESTED)
def test_what_a_suggestion_says_of_the_result_is_true(
    gpu, function, args, keywords, better, others
):
    suggestion = remedies.said(gpu.declined(function, *args, **keywords))
    assert suggestion
    differ = not np.allclose(function(*args, **keywords), function(*better, **others))
    assert ("changes the result" in suggestion) == differ


def test_what_nobody_can_change_is_no_advice():
    assert not remedies.can_be_changed("the image is rounded; nothing to change")
    assert remedies.can_be_changed("cval is not 0; give cval=0")
