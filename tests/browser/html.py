# SPDX-License-Identifier: MIT
"""What tests/report/html-browser.sh checks of r.html, two.html and hostile.html in this folder, and of phased.html."""
import json
import re

from browser import Browser

SECTIONS = ["findings", "run", "iterations", "curves", "breakdown", "processes", "memory", "failures", "limits"]


def check(what, true, *more):
    if not true:
        raise SystemExit(f"FAIL: {what}: {more}")


def clean(page):
    check("errors", not page.errors, page.errors)
    check("requests", not page.requests, page.requests)


def column(page, grid, number):
    return page.js(f"""Array.from(document.querySelectorAll({json.dumps(grid + ' tbody tr')})).map(
        r => r.children[{number}].textContent)""")


def order(page):
    shown = page.js("Array.from(document.querySelectorAll('main > section')).filter(s => !s.hidden).map(s => s.id)")
    check("order of the sections", [s for s in shown if s in SECTIONS] == SECTIONS, shown)
    check("findings come before all else", page.js("""
        document.querySelector('#findings .card').compareDocumentPosition(document.querySelector('#run dl')) & 4"""))
    check("worst first", page.js("document.querySelector('#findings .card').className") == "card problem")
    check("the machine in the text's words", "node7: 2 cores, " in page.js("document.getElementById('run').textContent"))
    check("what was run", "train.py --model mobilenet_v2" in page.js("document.getElementById('run').textContent"))


def sorting(page):
    grid = "#breakdown .grid"
    heads = page.js(f"Array.from(document.querySelectorAll('{grid} thead button')).map(b => b.dataset.column)")
    check("sorted at first", page.js(f"document.querySelectorAll('{grid}')[0].querySelector('[aria-sort=descending]').textContent")
          .startswith("share"))
    page.click(f'{grid} [data-column="calls"]')
    calls = [int(c.replace(",", "")) for c in column(page, grid, heads.index("calls"))]
    check("falling by a click", len(calls) > 3 and calls == sorted(calls, reverse=True), calls)
    page.key("Enter")  # the heading keeps the focus
    calls = [int(c.replace(",", "")) for c in column(page, grid, heads.index("calls"))]
    check("rising by a key", calls == sorted(calls), calls)
    check("aria-sort", page.js(f"document.activeElement.closest('th').getAttribute('aria-sort')") == "ascending")
    page.key("Tab")
    page.key("Enter")
    check("the next heading by keys", page.js("document.activeElement.dataset.column") == heads[heads.index("calls") + 1])


def filters(page):
    grid = "#breakdown .grid"
    page.click("#breakdown input")
    page.type("sgemm")
    check("contains", [re.sub("wait$", "", f) for f in column(page, grid, 0)] == ["sgemm_"], column(page, grid, 0))
    page.js("(() => { const i = document.querySelector('#breakdown input'); i.value = 'nothing like it';"
            "i.dispatchEvent(new Event('input')); })()")
    check("nothing fits", "Nothing fits" in page.js(f"document.querySelector('{grid}').textContent"))
    page.js("(() => { const i = document.querySelector('#breakdown input'); i.value = '';"
            "i.dispatchEvent(new Event('input')); })()")
    page.js("(() => { const s = document.querySelector('#breakdown select'); s.value = 'blas'; s.dispatchEvent(new Event('change')); })()")
    check("by layer", sorted(column(page, grid, 0)) == ["sgemm_", "sgemv_"], column(page, grid, 0))
    page.js("Array.from(document.querySelectorAll('#breakdown .buttons button')).find(b => b.textContent == 'Library').click()")
    check("grouped by library", column(page, grid, 0) == ["libtorch_cpu.so"], column(page, grid, 0))


def windows(page):
    return page.js("dlt.curves.panels.filter(p => p.graph).map(p => p.graph.xAxisRange())")


def curves(page):
    page.js("dlt.redrawCurves(true)")
    all_of_it = windows(page)
    check("several panels", len(all_of_it) >= 4, all_of_it)
    check("one axis", all(w == all_of_it[0] for w in all_of_it), all_of_it)
    page.drag("#curves .plot", 0.4, 0.7)
    near = windows(page)
    check("zoomed by the mouse", near[0][1] - near[0][0] < 0.5 * (all_of_it[0][1] - all_of_it[0][0]), near)
    check("all panels zoom", all(w == near[0] for w in near), near)
    check("the cursor is in all panels", page.js("document.querySelectorAll('.cursor:not([hidden])').length") == len(near))
    values = page.js("Array.from(document.querySelectorAll('#curves .legend .value')).map(v => v.textContent)")
    check("all values at the cursor", values and all("max" not in v for v in values), values)
    check("at", page.js("document.querySelector('.readout').textContent").startswith("at "))
    page.js("document.querySelector('.panels').focus()")
    page.key("Escape")
    check("all by a key", windows(page)[0] == all_of_it[0])
    check("no cursor by a key", page.js("document.querySelectorAll('.cursor:not([hidden])').length") == 0)
    page.key("+")
    check("zoomed by a key", windows(page)[0][1] - windows(page)[0][0] < 0.6 * (all_of_it[0][1] - all_of_it[0][0]))
    page.key("0")
    page.key("Home")
    before = page.js("dlt.curves.at")
    page.key("ArrowRight", shift=True)
    check("the cursor moves by keys", page.js("dlt.curves.at") > before)
    page.click('#curves [aria-label="Zoom in"]')
    check("zoomed by a button", windows(page)[0] != all_of_it[0])
    page.js("(() => { const s = document.querySelector('#curves select'); s.value = 'each'; s.dispatchEvent(new Event('change')); })()")
    check("curves of processes", "python3 (102)" in page.js("document.querySelector('#curves .legend').textContent"))
    dashes = page.js("Array.from(document.querySelectorAll('#curves .panel')[0].querySelectorAll('.swatch line')).map("
                     "l => l.getAttribute('stroke-dasharray') + l.getAttribute('stroke'))")
    check("lines differ", len(dashes) > 1 and len(set(dashes)) == len(dashes), dashes)


def keys(browser):
    """Without a mouse: everything that does something can be reached, the first thing is a way past the rest."""
    page = browser.open("r.html")
    page.key("Tab")
    check("skip link", page.js("document.activeElement.className") == "skip")
    page.js("document.addEventListener('focusin', e => { e.target.seen = true; })")
    for _ in range(page.js("document.querySelectorAll('button, a[href], select, input, summary, [tabindex]').length")):
        page.key("Tab")
    left = page.js("Array.from(document.querySelectorAll('button, a[href], select, input, summary')).filter("
                   "e => !e.seen && e.offsetParent && e.className !== 'skip' && !e.closest('details:not([open]) > :not(summary)')).map(e => e.textContent)")
    check("reached by Tab", left == [], left)
    nameless = page.js("Array.from(document.querySelectorAll('button, select, input')).filter(e => e.offsetParent && !(e.textContent.trim() ||"
                       "e.getAttribute('aria-label') || document.querySelector(`label[for='${e.id}']`))).length")
    check("all have names", nameless == 0, nameless)


def tree(page):
    rows = "document.querySelectorAll('#processes tbody tr').length"
    before = page.js(rows)
    page.click("#processes .fold[aria-expanded=true]")
    check("folded", page.js(rows) == before - 1)
    page.key("Enter")
    check("unfolded by a key", page.js(rows) == before)
    widths = page.js("Array.from(document.querySelectorAll('.life-bar')).map(b => parseFloat(b.style.width))")
    check("life lines", widths[0] > 90 and 20 < widths[1] < 80, widths)
    check("a killed one is marked", page.js("document.querySelectorAll('.life-end').length") == 1)


def looks(browser):
    dark = browser.open("r.html", dark=True)
    check("dark", dark.js("getComputedStyle(document.body).backgroundColor") == "rgb(14, 19, 25)")
    clean(dark)
    narrow = browser.open("r.html", width=360, height=740, touch=True)
    lines = narrow.js("""(() => { const title = document.getElementById('title'); title.style.width = '13em';
        const tops = Array.from(title.querySelectorAll('.word')).map(w => w.getClientRects().length === 1 &&
            w.getBoundingClientRect().height < 1.5 * parseFloat(getComputedStyle(w).lineHeight));
        title.style.width = ''; return tops; })()""")
    check("words of the command are whole", len(lines) > 2 and all(lines), lines)
    title, whole = browser.open("long.html").js("""(() => { const title = document.getElementById('title');
        return [title.textContent, title.title]; })()""")
    check("a long command loses its middle", len(title) < 300 < len(whole) and
          title.startswith("python3 train.py") and title.endswith("--model mobilenet_v2"), title, whole)
    narrow.js("dlt.redrawCurves(true)")
    wide = narrow.js("document.documentElement.scrollWidth")
    check("as wide as a phone", wide <= 360, wide)
    clean(narrow)
    narrow.print("r.pdf")
    with open("r.pdf", "rb") as pdf:
        check("printed", pdf.read(5) == b"%PDF-")
    clean(narrow)


def too_wide(page):
    """Tables that do not fit; a browser's fonts make some pixels' difference."""
    return page.js("Array.from(document.querySelectorAll('.scroll')).filter(s => s.scrollWidth > s.clientWidth + 24).map("
                   "s => s.getAttribute('aria-label') + ' ' + s.scrollWidth + ' of ' + s.clientWidth)")


def widths(browser):
    """No table of usual traces has to be moved to be read; where there are failures, on a small screen they do."""
    for name in ("r.html", "phased.html"):
        page = browser.open(name, width=1200)
        check("tables as wide as a screen", too_wide(page) == [], too_wide(page))
        page = browser.open(name, width=800)
        wide = [table for table in too_wide(page) if not table.startswith("Failures ")]
        check("tables as wide as half a screen", wide == [], wide)


def phases(browser):
    """A column a phase: all of it is seen at once, and no text makes a row high."""
    page = browser.open("phased.html", width=1200)
    heads = page.js("Array.from(document.querySelectorAll('#iterations th.fixed')).map(h => h.textContent)")
    check("a column a phase", heads[1:] == ["start-up", "compilation", "steady", "end"], heads)
    heights = page.js("Array.from(document.querySelectorAll('#iterations .grid:has(th.fixed) tbody tr')).map(r => r.offsetHeight)")
    check("rows of one line", len(heights) > 8 and max(heights) < 40, heights)
    bars = page.js("Array.from(document.querySelectorAll('#iterations .grid:has(th.fixed) tbody tr')).map(r => Array.from("
                   "r.querySelectorAll('.bar')).reduce((sum, b) => sum + parseFloat(b.style.width), 0))")
    check("parts of a whole", all(b == 0 or 99 < b < 101 for b in bars) and max(bars) > 99, bars)
    names = page.js("Array.from(document.querySelectorAll('#iterations .grid:has(th.fixed) tbody tr')).map(r => r.cells[0].textContent)")
    check("what it never did has no row", "heap peak" in names and "GPU events" not in names, names)
    clean(page)


def several(browser):
    page = browser.open("two.html")
    check("whose process", "training.txt: python3 (" in page.js("document.getElementById('memory').innerText"))
    page.js("dlt.redrawCurves(true)")
    check("two traces in a panel", page.js("document.querySelector('#curves .legend').children.length") >= 2)
    page.js("(() => { const s = document.querySelector('#curves select'); s.value = '1'; s.dispatchEvent(new Event('change')); })()")
    clean(page)


def apart(browser):
    page = browser.open("apart.html")
    compared = page.js("document.getElementById('comparison').innerText")
    check("no sign of what did not change", "0.0 %" in compared and not re.search(r"[-+−]0(\.0)? ", compared), compared)
    check("whose limits", "new.txt: tracing cost " in page.js("document.getElementById('limits').innerText"))
    check("a layer's name", re.search(r"^BLAS\tlayer", compared, re.M) and "blas\tlayer" not in compared, compared)
    check("a sign of what did", "−20.0 ms" in compared and "+" in compared, compared)
    clean(page)
    page = browser.open("grown.html")
    compared = page.js("document.getElementById('comparison').innerText")
    check("what has grown tenfold", "×20.3" in compared and not re.search(r"\+\d{4}", compared), compared)
    clean(page)


def many(browser):
    page = browser.open("three.html")
    check("a line for each run", page.js("document.querySelectorAll('#run > details:not([open])').length") == 3)
    check("and no more room than that", page.js("document.getElementById('run').getBoundingClientRect().height") < 300)
    page.click("#run summary")
    check("what was run", "train.py" in page.js("document.querySelector('#run details[open]').innerText"))
    clean(page)


def hostile(browser):
    page = browser.open("hostile.html", setup="window.hits = 0; window.hit = () => { window.hits++; };")
    page.js("dlt.redrawCurves(true)")
    page.js("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    page.js("document.querySelectorAll('#breakdown .buttons button').forEach(b => b.click())")
    page.js("""document.querySelectorAll('#curves select option').forEach(o => { const s = o.parentNode;
               s.value = o.value; s.dispatchEvent(new Event('change')); dlt.redrawCurves(true); })""")
    page.js("document.querySelectorAll('#processes .fold').forEach(b => b.click())")
    page.settle(0.5)
    check("nothing of a name ran", page.js("window.hits") == 0)
    check("nothing of a name is an element", page.js("document.querySelectorAll("
          "'img, iframe, math, object, embed, a[href^=javascript], [onload], [onerror], main style, main script').length") == 0)
    text = page.js("document.body.innerText")
    check("names are shown", "<img src=x onerror=hit()>" in text and "</script><script>hit()</script>" in text)
    check("no part failed", "could not be drawn" not in text)
    clean(page)


with Browser() as chromium:
    report = chromium.open("r.html")
    for part in (order, tree, sorting, filters, curves):
        part(report)
        clean(report)
    keys(chromium)
    looks(chromium)
    widths(chromium)
    phases(chromium)
    several(chromium)
    apart(chromium)
    many(chromium)
    hostile(chromium)
