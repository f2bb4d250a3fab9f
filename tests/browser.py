"""A real browser that is told what to do over the DevTools protocol. One process serves all tabs of a test run."""

import atexit
import base64
import contextlib
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium is installed")
PATIENCE_S = 45.0

# The end of a script that has put what it found into `told`.
FINISH = """
document.body.replaceChildren(Object.assign(document.createElement("pre"), {textContent: JSON.stringify(told)}));
"""


class Chromium:
    """The process. Tabs of different tests share it, not what they store."""

    _shared = None

    @classmethod
    def shared(cls):
        """The one of this test run; another one if it has died."""
        if cls._shared is None or cls._shared.process.poll() is not None:
            cls.close_shared()
            cls._shared = cls()
        return cls._shared

    @classmethod
    def close_shared(cls):
        if cls._shared is not None:
            cls._shared.close()
            cls._shared = None

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="browser", ignore_cleanup_errors=True)
        words = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run"]
        words += ["--disable-background-networking", "--disable-component-update", "--hide-scrollbars"]
        # Several tabs are looked at at the same time.
        words += ["--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows"]
        words += ["--disable-renderer-backgrounding"]
        words += [f"--user-data-dir={self._folder.name}", "--remote-debugging-port=0", "about:blank"]
        environment = os.environ | {"HOME": self._folder.name, "LANG": "en_US.UTF-8", "LANGUAGE": "en"}
        self.process = subprocess.Popen(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment)
        self.address = self._find_address()

    def _find_address(self):
        path = Path(self._folder.name) / "DevToolsActivePort"
        for _ in range(int(PATIENCE_S / 0.02)):
            lines = path.read_text().splitlines() if path.exists() else []
            if len(lines) == 2:
                return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
            time.sleep(0.02)
        raise AssertionError("the browser did not start")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._folder.cleanup()


atexit.register(Chromium.close_shared)


class Browser:
    """One tab. What the console complains about, and every address that is asked for, is kept."""

    def __init__(self, size=(1280, 900), *, touch=False, dark=False):
        from websockets.sync.client import connect

        self._ids = itertools.count(1)
        self.complaints = []
        self.asked = []
        self._answers = {}
        self._timers_ran = False
        self._held = contextlib.ExitStack()
        told = connect(Chromium.shared().address, max_size=None, compression=None)
        self._socket = self._held.enter_context(told)
        self._session = None
        context = self.command("Target.createBrowserContext", disposeOnDetach=True)["browserContextId"]
        target = self.command("Target.createTarget", url="about:blank", browserContextId=context, newWindow=True)
        self._session = self.command("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.command(f"{domain}.enable")
        # Each tab is one that somebody looks at.
        self.command("Emulation.setFocusEmulationEnabled", enabled=True)
        self.resize(size, touch=touch)
        self.darken(dark)

    def close(self):
        """Whatever it stored is gone with it."""
        self._held.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def command(self, method, **params):
        number = next(self._ids)
        told = {"id": number, "method": method, "params": params}
        if self._session is not None:
            told["sessionId"] = self._session
        self._socket.send(json.dumps(told))
        while number not in self._answers:
            self._receive(PATIENCE_S)
        answer = self._answers.pop(number)
        if "navigated" in answer.get("error", {}).get("message", ""):
            # The page has gone under the question's feet: the next one is asked.
            return {"result": {}}
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def _receive(self, timeout):
        message = json.loads(self._socket.recv(timeout))
        if "id" in message:
            self._answers[message["id"]] = message
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"].get("exception", {}).get("description", str(params)))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.complaints.append(str([arg.get("value") for arg in params["args"]]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))
        elif method == "Network.requestWillBeSent":
            self.asked.append(params["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.asked.append(params["url"])
        elif method == "Emulation.virtualTimeBudgetExpired":
            self._timers_ran = True

    def resize(self, size, *, touch=False):
        self.command(
            "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=touch
        )
        self.command("Emulation.setTouchEmulationEnabled", enabled=touch)

    def darken(self, dark=True):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[scheme])

    def goto(self, address):
        self.command("Page.navigate", url=address)

    def run_timers(self, ahead_s):
        """Whatever the page does within that time, without waiting for it."""
        self._timers_ran = False
        policy = {"policy": "pauseIfNetworkFetchesPending", "budget": 1000 * ahead_s}
        self.command("Emulation.setVirtualTimePolicy", **policy)
        while not self._timers_ran:
            self._receive(PATIENCE_S)

    def evaluate(self, script):
        """What an expression, or a promise, comes to."""
        answer = self.command("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, script, patience_s=PATIENCE_S):
        """Until the expression is true; answers it."""
        end = time.monotonic() + patience_s
        while True:
            told = f"(() => {{ try {{ return {script}; }} catch {{ return null; }} }})()"
            found = self.evaluate(f"((value) => value instanceof Node ? true : value)({told})")
            if found:
                return found
            assert time.monotonic() < end, (script, self.text("body")[:2000], self.complaints)
            time.sleep(0.03)

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def middle(self, selector):
        find = f"document.querySelector({json.dumps(selector)})"
        return self.wait(
            f"(e => {{ e.scrollIntoView({{block: 'nearest'}}); const b = e.getBoundingClientRect();"
            f" return b.width && [b.x + b.width / 2, b.y + b.height / 2]; }})({find})"
        )

    def click(self, selector):
        self.click_at(*self.middle(selector))

    def click_at(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def point_at(self, x, y):
        self.command("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def drag(self, start, end):
        kinds = (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end))
        for kind, (x, y) in kinds:
            self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def tap(self, selector):
        x, y = self.middle(selector)
        self.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def key(self, name):
        text = {"Enter": "\r"}.get(name, name if len(name) == 1 else "")
        codes = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}
        code = codes.get(name, ord(name.upper()) if len(name) == 1 else 0)
        more = {"key": name, "code": name, "windowsVirtualKeyCode": code}
        self.command("Input.dispatchKeyEvent", type="keyDown", text=text, **more)
        self.command("Input.dispatchKeyEvent", type="keyUp", **more)

    def type(self, text):
        self.command("Input.insertText", text=text)

    def screenshot(self, path, *, whole=False):
        """As the path's suffix says: png or webp."""
        kind = Path(path).suffix.lstrip(".")
        how = {"quality": 80} if kind == "webp" else {}
        found = self.command("Page.captureScreenshot", format=kind, captureBeyondViewport=whole, **how)
        Path(path).write_bytes(base64.b64decode(found["data"]))


def open_page(page, folder, *, size=(1400, 1000), fragment=""):
    """What the page's last script told; any complaint of the browser fails the test."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    with Browser(size) as tab:
        tab.goto(f"file://{path}{fragment}")
        tab.run_timers(3)
        assert tab.complaints == [], tab.complaints
        found = tab.evaluate("document.querySelector('body > pre')?.textContent")
        assert found, tab.text("body")[-2000:]
    return json.loads(found)
