# SPDX-License-Identifier: MIT
"""
A headless Chromium for tests, driven through its DevTools protocol over a pipe: no other package.

    with Browser() as browser:
        page = browser.open("report.html", width=1200)
        page.js("document.title"); page.key("Tab"); page.click("#nav a")
        page.errors      messages of the console, exceptions, what the policy refused
        page.requests    every address that was asked for but the page's own
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
        "ArrowRight": 39, "ArrowDown": 40}


def program():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, *options):
        self.folder = tempfile.mkdtemp(prefix="dltrace-browser.")
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()
        pipes = os.fdopen(os.dup(to_browser), "rb"), os.fdopen(os.dup(from_browser), "wb")

        def as_it_wants():  # it reads 3 and writes 4
            high = [os.dup2(p.fileno(), 200 + i) for i, p in enumerate(pipes)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--disable-background-networking",
             f"--user-data-dir={self.folder}", *options],
            preexec_fn=as_it_wants, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.folder})
        for fd in (to_browser, from_browser):
            os.close(fd)
        for pipe in pipes:
            pipe.close()
        self.buffer, self.number, self.pages = b"", 0, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self, limit):
        """The next message, or None after so many seconds."""
        end = time.monotonic() + limit
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.back], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            data = os.read(self.back, 1 << 20)
            if not data:
                raise RuntimeError("the browser is gone")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        page = self.pages.get(message.get("sessionId"))
        if page and "method" in message:
            page.event(message["method"], message["params"])
        return message

    def call(self, method, session=None, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if session:
            request["sessionId"] = session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        number = self.number
        while True:
            message = self.message(240)
            if message is None:
                raise RuntimeError(f"the browser does not answer {method}")
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]

    def open(self, path, **looks):
        return Page(self, path, **looks)


class Page:
    def __init__(self, browser, path, width=1200, height=900, dark=False, touch=False, scale=1, setup=""):
        self.browser, self.errors, self.requests, self.loaded = browser, [], [], False
        self.address = pathlib.Path(path).resolve().as_uri() if "://" not in path else path
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=touch)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        if setup:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=setup)
        self.call("Page.navigate", url=self.address)
        end = time.monotonic() + 240
        while not self.loaded:
            if browser.message(1) is None and time.monotonic() > end:
                raise RuntimeError("the page does not load")
        self.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def event(self, method, params):
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if url != self.address and not url.startswith("data:"):
                self.requests.append(url)

    def js(self, expression):
        """Its value; promises are waited for."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return result["result"].get("value")

    def key(self, name, shift=False):
        code = KEYS.get(name, ord(name[0].upper()))
        text = {"text": "\r" if name == "Enter" else name} if len(name) == 1 or name == "Enter" else {}
        common = {"key": name, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def place(self, selector, x=0.5, y=0.5):
        """A point inside an element, brought into view."""
        return self.js(f"""(() => {{ const e = document.querySelector({json.dumps(selector)});
            e.scrollIntoView({{ block: 'center' }}); const r = e.getBoundingClientRect();
            return [r.left + r.width * {x}, r.top + r.height * {y}]; }})()""")

    def mouse(self, what, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=what, x=x, y=y, **more)

    def click(self, selector):
        x, y = self.place(selector)
        for what in ("mousePressed", "mouseReleased"):
            self.mouse(what, x, y, button="left", clickCount=1)

    def drag(self, selector, begin, end):
        """With the mouse, between two parts of an element's width."""
        x0, y = self.place(selector, begin)
        x1, _ = self.place(selector, end)
        self.mouse("mousePressed", x0, y, button="left", buttons=1, clickCount=1)
        for i in range(1, 5):
            self.mouse("mouseMoved", x0 + (x1 - x0) * i / 4, y, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y, button="left", clickCount=1)

    def settle(self, seconds=0.3):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.browser.message(max(0, end - time.monotonic()))

    def picture(self, path, whole=True):
        """What is seen, or the whole page, as PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}} if whole else {}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **clip)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def print(self, path):
        data = self.call("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
