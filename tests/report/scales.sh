# SPDX-License-Identifier: MIT
# What a figure shows is what was measured: its curves, read back by its own axes, have the peaks of the
# trace at their times, in panels beside each other on one scale; one peak among many samples is in every
# format.
. "$top_srcdir/tests/lib.sh"

python3 - <<'END'
def trace(name, seconds, count, threads, peaks):
    with open(name, "w") as f:
        print('dltrace-text 1', file=f)
        print('[1s] dltrace_sample:machine host="h" time=1s cpus=2 memory=8G available=6G busy=[1s 1s]', file=f)
        print('[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/p" heap=0', file=f)
        for i in range(count):
            at = 1_000_000_000 + (i + 1) * seconds * 1_000_000_000 // count
            n = peaks.get(i, threads + i % 3)
            print(f'[{at}] dltrace_sample:process process=1 time={at} threads={n} user={i * 100}us rss_anon={n}M '
                  f'allocations={n} allocated={n}M', file=f)
# Each of 0.4 ms, one among thousands; the thirteenth is the highest.
trace("small.txt", 20, 50000, 4, {**{1717 + 3331 * k: 39 for k in range(12)}, 45678: 40})
trace("large.txt", 5, 500, 400, {77: 451})
END
"$REPORT" -q small.txt large.txt --figure curves -o both.svg -o both.json -o both.html
"$REPORT" -q small.txt --figure curves -o alone.svg -o alone.pftrace -o alone.csv --table series

"$REPORT" -q small.txt --figure curves --size 30mm -o narrow.svg

cat >axes.py <<'END'
"""Reads the curves of a figure back, by the numbers at its axes."""
import re, sys

class Panel:
    def __init__(self, numbers, lines):
        self.numbers, self.lines = numbers, lines      # [(y, value)], [[(x, y)]]

def line(points, first, last):
    (y0, v0), (y1, v1) = first, last
    return [v0 + (p - y0) * (v1 - v0) / (y1 - y0) for p in points]

def read(name):
    """{title of a row: [curves of a column: [(seconds, value)]]}, {title: numbers of its axis}"""
    svg = open(name).read()
    rows, order, numbers, curves, times = {}, [], [], [], []
    for tag, attributes, text in re.findall(r"<(path|text)([^>]*?)/?>([^<]*)", svg):
        a = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
        if tag == "text" and a.get("text-anchor") == "end":
            numbers.append((float(a["y"]) - 2.3, float(text)))
        elif tag == "text" and a.get("transform", "").startswith("rotate"):
            rows[text], numbers = numbers, []
            order.append(text)
        elif tag == "text" and a.get("text-anchor") == "middle" and re.fullmatch(r"[\d.]+", text):
            times.append((float(a["x"]), float(text)))
        elif a.get("fill") == "none" and a.get("stroke-width") == "0.8":
            points = [tuple(map(float, p.split())) for p in re.findall(r"[ML]([\d.]+ [\d.]+)", a["d"])]
            curves.append((points, a["stroke"]))
    starts = [i for i, (_, t) in enumerate(times) if t == 0]
    columns = [times[b:e] for b, e in zip(starts, starts[1:] + [None])]
    found = {}
    for points, stroke in curves:
        y = max(p[1] for p in points)
        row = next(r for r in order if min(n[0] for n in rows[r]) - 1 <= y <= max(n[0] for n in rows[r]) + 1)
        column = next(i for i, c in enumerate(columns) if c[0][0] - 1 <= points[0][0] <= c[-1][0] + 1)
        t = line([p[0] for p in points], columns[column][0], columns[column][-1])
        v = line([p[1] for p in points], rows[row][0], rows[row][-1])
        found[row, column, stroke] = list(zip(t, v))
    return found, rows, columns

def near(what, wanted, got, error):
    if not abs(wanted - got) <= error:
        sys.exit(f"FAIL: {what}: {wanted} expected, the figure has {got}")
END
cat >check.py <<'END'
import json, re, sys
from axes import read, near
BLUE, GREEN, HIGHEST = "#0072b2", "#009e73", 20 * 45679 / 50000

found, rows, columns = read("both.svg")
for row, numbers in rows.items():
    y, v = zip(*numbers)
    steps = [b - a for a, b in zip(v, v[1:])]
    near(f"{row}: begins", 0, v[0], 0)
    for a, b in zip(zip(y, v), zip(y[1:], v[1:])):  # even: 0.01 points are lost in the file
        near(f"{row}: a step's height", (y[0] - y[-1]) / (len(y) - 1), a[0] - b[0], 0.03)
        near(f"{row}: a step's value", steps[0], b[1] - a[1], 1e-9)
near("panels beside each other: as wide", columns[0][-1][0] - columns[0][0][0], columns[1][-1][0] - columns[1][0][0], 0.03)
near("... as long", columns[0][-1][1], columns[1][-1][1], 0)

def peak(row, column, color, value, at, error, figure=found, what="both"):
    points = [p for (r, c, s), p in figure.items() if (r.split()[0], c, s) == (row, column, color)]
    if len(points) != 1:
        sys.exit(f"FAIL: {what}: {len(points)} curves of {row} in column {column}: {figure.keys()}")
    t, v = max(points[0], key=lambda p: p[1])
    near(f"{what}: peak of {row} in column {column}", value, v, error)
    near(f"{what}: its time", at, t, 0.1)
    return points[0]

small = peak("Threads", 0, BLUE, 40, HIGHEST, 0.2)
for k, value in [(1717 + 3331 * k, 39) for k in range(12)] + [(45678, 40)]:
    at = 20 * (k + 1) / 50000
    near(f"a short peak at {at} s", value, max(v for t, v in small if abs(t - at) < 0.1), 0.2)
short = peak("Threads", 1, BLUE, 451, 5 * 78 / 500, 0.2)
near("the shorter run ends", 5, short[-1][0], 0.05)
near("where it was least", 400, min(v for t, v in short if t > 0.1), 0.2)
peak("RAM", 0, GREEN, 100 * 40 / 8192, HIGHEST, 0.02)
peak("RAM", 1, GREEN, 100 * 451 / 8192, 5 * 78 / 500, 0.02)

# Alone it has the scale that it needs: what was a line along the bottom fills the panel.
alone, rows, columns = read("alone.svg")
peak("Threads", 0, BLUE, 40, HIGHEST, 0.05, alone, "alone")
if not 40 <= rows["Threads"][-1][1] <= 60:
    sys.exit(f"FAIL: alone: an axis up to {rows['Threads'][-1]} for 40 threads")

# So narrow that several samples share what an eye can tell apart: the highest of them is drawn.
narrow, rows, columns = read("narrow.svg")
small = peak("Threads", 0, BLUE, 40, HIGHEST, 0.2, narrow, "narrow")
for k in range(12):
    at = 20 * (1718 + 3331 * k) / 50000
    near(f"narrow: a short peak at {at} s", 39, max(v for t, v in small if abs(t - at) < 0.2), 0.2)

# The same peak in the other formats.
def highest(series):
    return {s["trace"]: max(p for p in s["points"] if p[1] is not None and p[1] == max(q[1] for q in s["points"]))
            for s in series if s["name"] == "threads" and s["process"] is None}
at = 20_000_000_000 * 45679 // 50000
want = {0: [at, 40], 1: [5_000_000_000 * 78 // 500, 451]}
got = highest(json.load(open("both.json"))["series"])
if got != want:
    sys.exit(f"FAIL: JSON: {got} and not {want}")
page = json.loads(re.search(r'id="data">(.*?)</script>', open("both.html").read(), re.S).group(1))["series"]
for s in page:  # steps of time, in us
    s["points"] = [[round(sum(s["t"][:i + 1]) * 1000), v] for i, v in enumerate(s["v"])]
got = highest(page)
if got != want:
    sys.exit(f"FAIL: the page: {got} and not {want}")
if not any(line.split(",")[5:7] == [str(at), "40"] and "threads" in line for line in open("alone.csv")):
    sys.exit("FAIL: CSV: no peak")
END
python3 check.py || exit 1
