"""A page in a real browser."""

import html
import json
import os
import re
import shutil
import subprocess

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium is installed")


# The end of a script that has put what it found into `told`.
FINISH = """
document.body.replaceChildren(Object.assign(document.createElement("pre"), {textContent: JSON.stringify(told)}));
"""


def open_page(page, folder, *, size=(1400, 1000), fragment=""):
    """What the page's last script told; any complaint of the browser fails the test."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    words = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run"]
    words += [f"--user-data-dir={folder / 'profile'}", f"--window-size={size[0]},{size[1]}", "--enable-logging=stderr"]
    words += ["--virtual-time-budget=3000", "--dump-dom", f"file://{path}{fragment}"]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=120, check=True, env=os.environ | {"HOME": str(folder)}
    )
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert complaints == [], complaints
    found = re.search(r"<pre>(.*)</pre>", done.stdout, re.DOTALL)
    assert found, done.stdout[-2000:]
    return json.loads(html.unescape(found[1]))
