"""The documentation as a site: `python -m sphinx -W --keep-going -n -b html docs docs/_build`.

Nothing is fetched for it. Pictures, reports and tables of the pages are made by the build, on a
GPU if there is one, else on the simulator.
"""

import os
import sys
import tomllib
from pathlib import Path

from skimage_gpu_backend.availability import choose_device

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))
# an example's own backend: installed backends are looked for once
sys.path.append(str(HERE.parent / "examples" / "kept_transforms"))
choose_device()  # before anything imports CuPy
# programs whose output the pages show run with this interpreter and this checkout
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
os.environ["SKIMAGE_BACKENDS_MIN_SIZE"] = "0"  # the pictures of the pages are small

_told = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]
project = _told["name"]
author = f"the authors of {project}"
version = release = _told["version"]
html_title = project

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinxcontrib.programoutput",
    "matplotlib.sphinxext.plot_directive",
    "sphinx_gallery.gen_gallery",
    "generated",  # docs/extensions
]
exclude_patterns = ["_build", "_generated"]
templates_path = []

myst_heading_anchors = 3  # links to sections, as a code host makes them
highlight_language = "none"  # code that is not said to be of a language
smartquotes_action = "q"  # quotation marks alone: two hyphens begin an option
default_role = "autolink"  # names in docstrings

numpydoc_show_class_members = False
numpydoc_validation_checks = {
    "all",
    "ES01",  # a summary that says it all needs no second paragraph
    "EX01",  # nor every method an example
    "GL01",  # text on the opening line
    "SA01",
}
# users are given these, and do not make them: they have attributes instead of parameters
numpydoc_validation_exclude = {r"\.(Case|Chain|Counters|Profile|Tally)$"}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "examples",
    "filename_pattern": r"\.py$",
    "run_stale_examples": True,  # pages show what the code of today does
    "image_scrapers": ("ran_where.scrape",),
    "reset_modules": ("ran_where.prepare",),
    "reset_modules_order": "both",
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 3600,  # the simulator's times say nothing
    "write_computation_times": False,
}

plot_include_source = True
plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("png", 120)]
plot_rcparams = {
    "image.cmap": "gray",
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.1,  # inches
}
plot_apply_rcparams = True

programoutput_prompt_template = "$ {command}\n{output}"

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["filter.js"]
html_sidebars = {
    page: [] for page in ("index", "install", "tour", "reference")
}  # no pages are below them
html_show_sourcelink = False
html_use_index = False
html_domain_indices = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
copyright = f"{author}, BSD-3-Clause"
