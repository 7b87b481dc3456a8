"""The documentation builds without a warning, and links inside it lead somewhere."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Folder of the site, built with warnings as errors."""
    pytest.importorskip("myst_parser", reason="the extra docs is not installed")
    folder = tmp_path_factory.mktemp("site")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SKIMAGE_")}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    command = ["-m", "sphinx", "-W", "--keep-going", "-q", "-n", "-b", "html", "docs"]
    done = subprocess.run(
        [sys.executable, *command, folder],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return folder


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


def _pages(site):
    pages = {path.resolve(): _Page(path) for path in site.glob("*.html")}
    assert len(pages) > 20
    return pages


@pytest.mark.thorough
def test_every_link_and_anchor_inside_the_site_leads_somewhere(site):
    pages = _pages(site)
    dead = []
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
                dead.append(f"{path.name}: {link}")
    assert not dead


@pytest.mark.thorough
def test_pages_load_nothing_from_elsewhere(site):
    outside = [
        f"{path.name}: {load}"
        for path, page in _pages(site).items()
        for load in page.loads
        if urlsplit(load).netloc
    ]
    styles = [
        f"{path.name}: {url}"
        for path in site.rglob("*")
        if path.suffix in (".css", ".svg")
        for url in re.findall(r"url\([\"']?((?:https?:)?//[^)\"']+)", path.read_text("utf-8"))
    ]
    assert outside + styles == []
