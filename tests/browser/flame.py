# SPDX-License-Identifier: MIT
"""What tests/report/html-flame.sh checks of r.html, against r.json."""
import json
import re

from browser import Browser

REST = "not in this page"


def check(what, true, *more):
    if not true:
        raise SystemExit(f"FAIL: {what}: {more}")


def frames(page):
    """What is drawn: level, name, bytes, left and width in percent."""
    shown = page.js("Array.from(document.querySelectorAll('.frame')).map(f => [Number(f.getAttribute('aria-level')), "
                    "f.getAttribute('aria-label'), parseFloat(f.style.left), parseFloat(f.style.width)])")
    return [(level, *re.match(r"(.*): .*?([\d,]+) B\b", label).groups(), left, width) for level, label, left, width in shown]


def number(text):
    return int(text.replace(",", ""))


def wanted(report, process, part, column):
    """Bytes by level and name, level 2 being the outermost frame or the kind of memory."""
    rows = [r for r in report["memory_stacks"] if r["process"] == process and r["part_of"] == part]
    apart = len({(r["memory"], r["device"]) for r in rows if r[column]}) > 1
    sums = {}
    for row in rows:
        names = [f"{row['memory']} of GPU {row['device']}"] * apart + row["stack"].split(";")
        for level, name in enumerate(names, 2):
            sums[level, name] = sums.get((level, name), 0) + row[column]
    return sums


def press(page, text):
    page.js(f"Array.from(document.querySelectorAll('.flame-box button')).find(b => b.textContent == {json.dumps(text)}).click()")


def compare(page, report, part, column, rest):
    sums = wanted(report, 1, part, column)
    total = next(s[column] for s in report["memory_stack_sums"] if s["process"] == 1 and s["memory"] == part)
    shown = frames(page)
    check("the whole", number(shown[0][2]) == total, column, shown[0], total)
    below = sum(number(bytes) for level, _, bytes, *_ in shown if level == 2)
    check("what is below the whole", below == total, column, below, total)
    left = sum(number(bytes) for _, name, bytes, *_ in shown if name == REST)
    check("stacks without a row in the page", (left > 0) == rest, column, left)
    for level, name, bytes, start, width in shown[1:]:
        if level == 2 and name != REST:
            check("a sum", number(bytes) == sums[level, name] - left, column, name, bytes, sums[level, name])
        elif (level, name) in sums and "libwork" in name:
            check("a function's sum", number(bytes) == sums[level, name], column, name, bytes)
        check("its width", abs(width - 100 * number(bytes) / total) < 1e-4 and start + width < 100.001, name, width)
    deepest = max(level for level, *_ in shown)
    check("nothing is lost below", sum(number(bytes) for level, _, bytes, *_ in shown if level == deepest) == total - left,
          column)


def sums(page, report):
    compare(page, report, "heap", "peak_bytes", True)
    for text, column, rest in (("Held in the end", "live_bytes", True), ("Asked for in all", "allocated_bytes", True),
                               ("Temporary", "temporary_bytes", False)):
        press(page, text)
        compare(page, report, "heap", column, rest)
    press(page, "GPU")
    check("what a GPU does not have", page.js("Array.from(document.querySelectorAll('.flame-box button')).filter("
          "b => b.disabled).map(b => b.textContent)") == ["Temporary", "Show all"])
    compare(page, report, "gpu", "peak_bytes", False)
    check("devices apart", [f[1] for f in frames(page) if f[0] == 2] == ["device of GPU 0", "device of GPU 1"])
    page.js("(() => { const s = document.querySelector('.flame-box select'); s.selectedIndex = 1; s.dispatchEvent(new Event('change')); })()")
    check("another process, which has no GPU", [f[1:3] for f in frames(page)][0] == ("worker (200): heap", "90,000"), frames(page))


def focused(page):
    return page.js("document.activeElement.getAttribute('aria-label')") or ""


def zoom(page):
    whole = frames(page)
    check("one place for Tab", page.js("document.querySelectorAll('.frame[tabindex=\"0\"]').length") == 1)
    page.js("document.querySelector('.frame[tabindex=\"0\"]').focus()")
    for _ in range(3):
        page.key("ArrowDown")
    check("the largest by keys", focused(page).startswith("libwork.so+0x3: "), focused(page))
    page.key("ArrowRight")
    check("its neighbour", focused(page).startswith("libwork.so+0x4: "), focused(page))
    check("it is told", page.js("document.querySelector('.flame-told').textContent").startswith("libwork.so+0x4"))
    page.key("Enter")
    check("as wide as the page", all(f[3:] == (0, 100) for f in frames(page)) and len(frames(page)) == 4, frames(page))
    check("it keeps the focus", focused(page).startswith("libwork.so+0x4: "))
    page.key("ArrowUp")
    check("its caller", "<img src=x onerror=hit()>" in focused(page), focused(page))
    page.key("Escape")
    check("all of it", frames(page) == whole)
    page.js("Array.from(document.querySelectorAll('.frame')).find(f => f.textContent.includes('narrow ones')).click()")
    opened = frames(page)
    check("narrow ones are opened", "narrow ones" in opened[3][1] and len([f for f in opened if f[0] == 5]) > 100, len(opened))
    check("and are all there", sum(number(f[2]) for f in opened if f[0] == 5) == number(opened[3][2]))
    press(page, "Show all")
    check("a button for all", frames(page) == whole)


def names(page):
    """Nothing is cut that has room, what has none says its heart; hostile ones are text."""
    check("nothing ran", page.js("window.hits") == 0)
    check("a name", "conv.py:20 <img src=x onerror=hit()>" in page.js("document.querySelector('.flame').textContent"))
    cut = page.js("Array.from(document.querySelectorAll('.frame')).filter(f => f.clientWidth > 130 && f.scrollWidth > f.clientWidth)"
                  ".map(f => f.textContent)")
    check("cut where there is room", cut == [], cut)
    over = page.js("""Array.from(document.querySelectorAll('.frame')).filter((f, i, all) => i && all.some(other =>
        other !== f && other.style.top === f.style.top && other.offsetLeft <= f.offsetLeft &&
        other.getBoundingClientRect().right > f.getBoundingClientRect().left + 0.1)).map(f => f.getAttribute('aria-label'))""")
    check("none lies over its neighbour", over == [], over[:3])


with Browser() as chromium, open("r.json", encoding="utf-8") as text:
    report = json.load(text)
    for looks in ({"width": 1200}, {"width": 500, "dark": True}):
        page = chromium.open("r.html", setup="window.hits = 0; window.hit = () => { window.hits++; };", **looks)
        check("as wide as the page", page.js("document.documentElement.scrollWidth") <= looks["width"])
        names(page)
        zoom(page)
        sums(page, report)
        check("errors", not page.errors and not page.requests, page.errors, page.requests)
