# SPDX-License-Identifier: MIT
"""The report of a study: what stands in it, in which order, and how it is written as text, Markdown, HTML and JSON."""
import base64
import html
import json
import os
import re
import statistics
import textwrap

from harness import plan, results, runs
from harness.tables import MADE_UP, MODELS, Wrong

# Figures 1 and 2: RAM, CPU and threads of the simplest model on the big data set and of the largest on the small one.
SIMPLE, COMPLEX = ("alexnet", "big"), ("vgg16", "small")
FINDINGS = 12
TEXTS = 2  # columns of a table that are left-aligned; the others are numbers


class Heading:
    def __init__(self, level, text):
        self.level, self.text = level, text


class Paragraph:
    def __init__(self, text):
        self.text = text


class Table:
    """rows: lists of texts, the first TEXTS of them names. `wide`: all are texts, the last one a sentence."""

    def __init__(self, header, rows, wide=False):
        self.header, self.rows, self.wide = header, rows, wide


class Figure:
    """Drawn by dltrace-report from these traces."""

    def __init__(self, name, caption, traces, *options):
        self.name, self.caption, self.traces, self.options = name, caption, traces, options

    def draw(self, path):
        results.dltrace_report(self.traces, *self.options, "--title", "", "--output", path)


# ---- words ----

def number(value):
    """Three digits, and no more decimals than say something."""
    if value is None:
        return "–"
    if value >= 100 or value == int(value):
        return f"{value:.0f}"
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def count_of(number, word):
    return f"{number} {word}" + ("s" if number != 1 else "")


def cell(mean, half, count, failed):
    text = number(mean) + (f" ± {number(half)}" if half is not None else "")
    if not count and failed:
        return "failed"
    return text + (f" ({failed} failed)" if failed else "")


def mode_name(outcomes):
    """SGD or mini-batch N, as dltrace says; of small data sets and large ones each N, in the columns' order."""
    first, *others = dict.fromkeys(o.row["mode"] for o in outcomes if o.row["mode"]) or ["?"]
    return ", ".join([first] + [name.rpartition(" ")[2] for name in others])


def run_name(run):
    return f"{run['framework']} {run['model']} {run['dataset']} {run['mode']} {run['device']}"


# ---- blocks ----

def modes(r):
    """One photo a step first."""
    return sorted(r.distinct("mode"), key=lambda mode: mode != "sgd")


def matrix(r, quantity, device):
    """Frameworks and modes by models and data sets."""
    columns = [(m, d) for m in r.distinct("model") for d in r.distinct("dataset") if r.outcomes_of(model=m, dataset=d)]
    rows = []
    for mode in modes(r):
        for framework in r.distinct("framework"):
            chosen = r.outcomes_of(framework=framework, device=device, mode=mode)
            cells = [r.cell(quantity, framework=framework, device=device, mode=mode, model=m, dataset=d)
                     for m, d in columns]
            if chosen:
                rows.append([r.name_of(framework), mode_name(chosen)] + [cell(*c) for c in cells])
    several = len(columns) > len(r.distinct("model"))
    return Table(["framework", "mode"] + [f"{m} / {d}" if several else m for m, d in columns], rows)


def time_tables(r):
    """Tables 1 (CPU) and 2 (GPU)."""
    for device in ("cpu", "cuda"):
        if not r.outcomes_of(device=device):
            continue
        yield Heading(2, "Table 1: CPU" if device == "cpu" else "Table 2: GPU")
        good = any(not o.failed for o in r.outcomes_of(device=device))
        for quantity, heading, _, _ in (q for q in results.QUANTITIES if good or q[0] == "total"):
            yield Heading(3, heading)
            yield matrix(r, quantity, device)
        yield from ratio_tables(r, device)
    yield from phase_tables(r)
    yield from job_ratio_tables(r)
    yield from cudnn_table(r)
    failed = sum(o.failed for o in r.outcomes)
    yield Paragraph(f"Means of the good runs with their 95 % interval by Student's t; {count_of(len(r.outcomes), 'run')}, "
                    f"{failed or 'none'} of them failed. –: not known, since iterations were not found; of a phase: no run had it.")


# What is compared, and whether the publication's seconds are of the same: they are by the clock.
RATIOS = (("epoch", "an epoch", True), ("epoch_cpu", "CPU time of an epoch in the steady state", False))


def base_of(r, names):
    """PyTorch, of whatever version, else the first; None of none."""
    return next((name for name in names if results.family(name) == "pytorch"), names[0] if names else None)


def ratio_tables(r, device):
    """How many times as long as PyTorch, here and as published: machines differ, ratios can be compared."""
    models = [model for model in r.distinct("model") if model in MODELS]
    base = base_of(r, r.distinct("framework"))
    for quantity, what, published in RATIOS:
        rows = list(ratio_rows(r, quantity, device, base, models, results.published() if published else {}))
        if models and rows:
            yield Heading(3, f"Times as long as {r.name_of(base)}, {what}: here{' (as published)' if published else ''}")
            yield Table(["framework", "mode"] + models, rows)


def ratio_rows(r, quantity, device, base, models, known):
    for mode in modes(r):
        for framework in (f for f in r.distinct("framework") if f != base):
            for dataset in (d for d in r.distinct("dataset") if d != MADE_UP):
                mine = r.outcomes_of(framework=framework, device=device, mode=mode, dataset=dataset)
                there, reference = (known.get((device, results.family(name), dataset)) for name in (framework, base))
                if mine:
                    yield [f"{r.name_of(framework)}, {dataset}", mode_name(mine)] + [
                        ratio(r, quantity, framework, base, there[m] / reference[m] if there and reference else None,
                              device=device, mode=mode, model=m, dataset=dataset) for m in models]


def ratio(r, quantity, framework, base, there, **wanted):
    mine, other = (r.cell(quantity, framework=name, **wanted)[0] for name in (framework, base))
    here = number(mine / other) if mine and other else "–"
    return f"{here} ({number(there)})" if there else here


def phase_tables(r):
    """What a run begins and ends with is not what it does all the time."""
    for device in r.distinct("device"):
        for what, function in results.PHASE_QUANTITIES:
            rows = []
            for framework in r.distinct("framework"):
                means, known, good = r.phase(framework, device, function)
                if known:
                    rows.append([r.name_of(framework), f"{known} of {good}"] + [number(mean) for mean in means])
            if rows:
                yield Heading(3, f"Phases of a run, {device}: {what}")
                yield Table(["framework", "runs", *results.PHASES], rows)


def job_ratio_tables(r):
    """The second study's jobs: how many times as long as PyTorch, else as the first framework that was published."""
    known = results.published_jobs()
    jobs = [job for job in results.PUBLISHED_JOBS if r.outcomes_of(model=job)]
    told = [f for f in r.distinct("framework") if any((results.family(f), job) in known for job in jobs)]
    base = base_of(r, told)
    for quantity, what, published in RATIOS if len(told) > 1 else ():
        there = f" (as published, on a {' and a '.join(results.PUBLISHED_GPUS)})" if published else ""
        yield Heading(3, f"Times as long as {r.name_of(base)}, {what}: here{there}")
        yield Table(["framework", "device"] + jobs,
                    [[r.name_of(framework), device]
                     + [job_ratio(r, known if published else {}, quantity, framework, base, device=device, model=job)
                        for job in jobs]
                     for device in r.distinct("device") for framework in told if framework != base])


def job_ratio(r, known, quantity, framework, base, **wanted):
    mine, other = (r.cell(quantity, framework=name, **wanted)[0] for name in (framework, base))
    theirs = zip(*(known.get((results.family(name), wanted["model"]), ()) for name in (framework, base)))
    there = [number(a / b if a and b else None) for a, b in theirs]
    here = number(mine / other if mine and other else None)
    return f"{here} ({', '.join(there)})" if there and set(there) != {"–"} else here


def cudnn_table(r):
    """Who worked with it on a GPU: what is called there computes alike."""
    rows = [[r.name_of(framework), "cuda"]
            + [", ".join(dict.fromkeys(filter(None, (r.cudnn(o) for o in r.outcomes_of(
                framework=framework, device="cuda", model=model))))) or "–" for model in r.distinct("model")]
            for framework in r.distinct("framework") if r.outcomes_of(framework=framework, device="cuda")]
    if rows:
        yield Heading(3, "cuDNN")
        yield Table(["framework", "device"] + r.distinct("model"), rows)


def nearest(r, framework, model, dataset, **more):
    """The good run that stands for this one: of another data set, or another model, where there is no such one."""
    for wanted in ({"model": model, "dataset": dataset}, {"model": model}, {}):
        found = r.representative(framework=framework, **wanted, **more)
        if found and not found.failed:
            return found
    return None


def curve_figures(r):
    """Figures 1 and 2 for the study's two, and the same for the others."""
    names = r.distinct("framework")
    first = [n for n in ("pytorch", "tensorflow") if n in names]
    numbered = first + [n for n in names if n not in first]
    headed = False
    for device in r.distinct("device"):
        for index, framework in enumerate(numbered):
            found = [nearest(r, framework, model, dataset, mode=mode, device=device)
                     for model, dataset in (SIMPLE, COMPLEX) for mode in modes(r)]
            traces = list(dict.fromkeys(o.run.trace for o in found if o))
            if traces and not headed:
                yield Heading(2, "Figures 1 and 2: threads, CPU and memory over time")
                headed = True
            if traces:
                which = f"Figure {index + 1}" if framework in first else "The same"
                yield Figure(f"curves-{framework}-{device}",
                             f"{which}: {r.name_of(framework)}, {device}; "
                             + "; ".join(dict.fromkeys(f"{o.run['model']} {o.run['dataset']} {o.row['mode']}" for o in found if o)),
                             traces, "--figure", "curves", "--size", "254mm", "--style", "paper")


def has_calls(r, outcome):
    """Whether any call of a library was seen in it."""
    processes = {p["process"] for p in r.report["processes"] if p["trace"] == outcome.index}
    return any(row["process"] in processes for row in r.report["breakdown"])


def function_figure(r):
    """Figure 3: share of time by function, AlexNet by mini-batches on the larger data set."""
    for device in r.distinct("device"):
        found = [nearest(r, framework, *SIMPLE, mode="batch", device=device)
                 or nearest(r, framework, *SIMPLE, device=device) for framework in r.distinct("framework")]
        seen = [o for o in found if o and has_calls(r, o)]
        unseen = [r.name_of(o.run["framework"]) for o in found if o and o not in seen]
        if seen or unseen:
            yield Heading(2, "Figure 3: share of time by function, "
                             + ("CUDA" if device == "cuda" else "on a CPU: BLAS, oneDNN, OpenMP"))
        if seen:
            what = "; ".join(dict.fromkeys(f"{o.run['model']} {o.run['dataset']}, {o.row['mode']}" for o in seen))
            yield Figure(f"functions-{device}", f"{what}; functions with at least 1 % of their layer",
                         [o.run.trace for o in seen], "--figure", "functions", "--size", "254mm")
            yield Figure(f"kinds-{device}", f"{what}; time by kind of work, in the same words for every framework",
                         [o.run.trace for o in seen], "--figure", "kinds", "--size", "178mm")
        if unseen:
            yield Paragraph(f"No calls were seen in {', '.join(unseen)}: what computes there is inside the framework's own "
                            "library, and "
                            + ("one thread needs no OpenMP." if r.kept["common"]["threads"] == 1 else
                               "so are its threads."))


def failure_table(r):
    """Repeats that ended in the same way are one row; what is said of them differs in numbers only."""
    rows = {}
    for run, ended, what in r.failures():
        key = run_name(run), ended, re.sub("[0-9]+", "0", what)
        rows.setdefault(key, (what, []))[1].append(run["repeat"])
    yield Heading(2, "Failures")
    table = [[name, ", ".join(map(str, sorted(repeats))), ended, what]
             for (name, ended, _), (what, repeats) in rows.items()]
    yield Table(["run", "repeat", "ended", "what dltrace says"], table, True) if table else Paragraph("No run failed.")


def finding_table(r):
    rows = [[rule, severity, f"{', '.join(where)} ({count})", text]
            for rule, severity, text, _, where, count in r.findings()[:FINDINGS]]
    if rows:
        yield Heading(2, "Findings")
        yield Paragraph("By rule, the gravest first: where (in how many runs), and one of them in dltrace's words.")
        yield Table(["rule", "severity", "frameworks (runs)", "for example"], rows, True)


def cost_table(r):
    """What recording cost, of runs with a bare one beside them."""
    rows = []
    for kind, ratios in r.pairs().items():
        mean, half, count = results.mean_interval(ratios)
        rows.append([" ".join(map(str, kind)), f"{(statistics.median(ratios) - 1) * 100:+.1f} %",
                     f"{(mean - 1) * 100:+.1f}" + (f" ± {half * 100:.1f} %" if half is not None else " %"), str(count)])
    if rows:
        yield Heading(2, "What recording cost")
        yield Table(["run", "median", "mean", "pairs"], rows)


def machine_of(r):
    machines = {(m["cpus"], round((m["memory_bytes"] or 0) / 2 ** 30)) for m in r.report["machines"]}
    return " and ".join(f"{cpus} cores, {memory} GiB of memory" for cpus, memory in sorted(machines))


def introduction(r):
    common, data = r.kept["common"], r.distinct("dataset")
    what = [f"photos of {common['size']} x {common['size']} pixels"] if set(data) - {MADE_UP} else []
    what += ["examples that are made up"] if MADE_UP in data else []
    words = [f"{count_of(len(r.outcomes), 'trace')} of {count_of(len(r.distinct('framework')), 'framework')}; "
             f"machine: {machine_of(r)}.",
             f"On {' and '.join(what)}: {count_of(common['epochs'], 'epoch')}, "
             f"{common['scale'] * 100:g} % of the published number of examples"
             + (f", {count_of(common['threads'], 'thread')}" if common["threads"] else "")
             + (f", {common['memory_limit'] / 2 ** 20:g} MiB of private memory at most" if common["memory_limit"] else "")
             + f"; recorded at the level {common['level']}. All but how a run ended, and what recording cost, is from the traces."]
    yield Heading(1, "The study of deep-learning frameworks, repeated")
    yield Paragraph(" ".join(words))


def blocks(r):
    for part in (introduction, time_tables, curve_figures, function_figure, failure_table, finding_table, cost_table):
        yield from part(r)


# ---- text ----

def widths(table):
    return [max(len(row[i]) for row in [table.header] + table.rows) for i in range(len(table.header))]


def text_table(table, width):
    """Numbers to the right, texts to the left."""
    size = widths(table)
    if table.wide:
        size[-1] = max(20, width - sum(size[:-1]) - 2 * len(size[:-1]))
    for row in [table.header] + table.rows:
        parts = textwrap.wrap(row[-1], size[-1]) or [""] if table.wide else [row[-1].rjust(size[-1])]
        head = [c.ljust(w) if i < TEXTS or table.wide else c.rjust(w) for i, (c, w) in enumerate(zip(row[:-1], size))]
        yield "  ".join(head + parts[:1]).rstrip()
        for part in parts[1:]:
            yield " " * (sum(size[:-1]) + 2 * len(size[:-1])) + part


def as_text(all_blocks, width=100):
    out = []
    for block in all_blocks:
        if isinstance(block, Heading):
            out += ["", block.text, "=-~"[block.level - 1] * min(width, len(block.text))]
        elif isinstance(block, Paragraph):
            out += ["", *textwrap.wrap(block.text, width)]
        elif isinstance(block, Table):
            out += ["", *text_table(block, width)]
        else:
            out += ["", *textwrap.wrap(f"[{block.caption}: study report -o study.html]", width)]
    return "\n".join(out[1:]) + "\n"


# ---- Markdown ----

def as_markdown(all_blocks, folder, shown):
    """Figures are drawn into the folder, which the page calls `shown`."""
    out = []
    for block in all_blocks:
        if isinstance(block, Heading):
            out += [f"{'#' * block.level} {block.text}", ""]
        elif isinstance(block, Paragraph):
            out += textwrap.wrap(block.text, 110) + [""]
        elif isinstance(block, Figure):
            os.makedirs(folder, exist_ok=True)
            block.draw(os.path.join(folder, block.name + ".svg"))
            out += [f"![{block.caption}]({shown}/{block.name}.svg)", "", block.caption + ".", ""]
        else:
            out += ["| " + " | ".join(escape(c) for c in row) + " |" for row in [block.header]]
            out += ["|" + "|".join("---" if i < TEXTS or block.wide else "--:" for i in range(len(block.header))) + "|"]
            out += ["| " + " | ".join(escape(c) for c in row) + " |" for row in block.rows] + [""]
    return "\n".join(out).rstrip() + "\n"


def escape(text):
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


# ---- HTML ----

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; } td, th { padding: .25em .7em; border-bottom: 1px solid #ddd; }
th { text-align: right; } td { text-align: right; font-variant-numeric: tabular-nums; vertical-align: top; }
td:nth-child(-n+2), th:nth-child(-n+2), .wide td, .wide th { text-align: left; }
.scroll { overflow-x: auto; } figure { margin: 1.5em 0; } img { max-width: 100%; } figcaption { color: #555; }
@media (prefers-color-scheme: dark) { body { background: #1c1c1c; color: #ddd; } td, th { border-color: #444; }
img { background: #fff; } figcaption { color: #aaa; } }
"""


def html_table(table):
    def row(cells, tag):
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"
    return (f'<div class="scroll"><table class="{"wide" if table.wide else ""}">{row(table.header, "th")}'
            + "".join(row(cells, "td") for cells in table.rows) + "</table></div>")


def html_figure(figure, scratch):
    path = os.path.join(scratch, figure.name + ".svg")
    figure.draw(path)
    with open(path, "rb") as file:
        data = base64.b64encode(file.read()).decode("ascii")
    caption = html.escape(figure.caption)
    return (f'<figure><img alt="{caption}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{caption}</figcaption></figure>")


def as_html(all_blocks, scratch):
    """One file that needs no other."""
    out = []
    for block in all_blocks:
        if isinstance(block, Heading):
            out.append(f"<h{block.level}>{html.escape(block.text)}</h{block.level}>")
        elif isinstance(block, Paragraph):
            out.append(f"<p>{html.escape(block.text)}</p>")
        else:
            out.append(html_table(block) if isinstance(block, Table) else html_figure(block, scratch))
    return ('<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>The study, repeated</title><style>{STYLE}</style>\n" + "\n".join(out) + "\n</html>\n")


# ---- JSON ----

def as_json(r):
    """Numbers only, small: every group of runs with its quantities, and every run's."""
    groups = {}
    for o in r.outcomes:
        groups.setdefault(o.run.kind(), []).append(o)
    cells = []
    for kind, outcomes in groups.items():
        row = {**dict(zip(plan.KEYS, kind)), "name": r.name_of(kind[0]), "mode_name": mode_name(outcomes),
               "cudnn": r.cudnn(outcomes[0]), "runs": len(outcomes),
               "failed": sum(o.failed for o in outcomes),
               "iterations": [o.iterations for o in outcomes], "epochs_found": [o.epochs_found for o in outcomes]}
        for name, _, unit, function in results.QUANTITIES:
            row[f"{name}_{unit}" if unit else name] = [rounded(function(o)) for o in outcomes if not o.failed]
        cells.append(row)
    failures = [{"run": run.name, "ended": ended, "text": text} for run, ended, text in r.failures()]
    machine = [{"cpus": m["cpus"], "memory_bytes": m["memory_bytes"]} for m in r.report["machines"][:1]]
    return {"format": "dltrace-study-results", "version": 1, "options": r.kept["common"], "machine": machine,
            "results": cells, "kinds": kinds_of(r), "failures": failures,
            "recording_cost": {" ".join(map(str, k)): [rounded(v) for v in ratios] for k, ratios in r.pairs().items()}}


def kinds_of(r):
    """Time by kind of work of each trace's group, in seconds: means of the good runs; on the GPU as "KIND (gpu)"."""
    good, sums = {}, {}
    for outcome in (o for o in r.outcomes if not o.failed):
        good.setdefault(outcome.run.kind(), []).append(outcome.index)
    for row in r.report["kinds"]:
        outcome = r.outcomes[row["trace"]]
        name = row["kind"] if row["where"] == "host" else f"{row['kind']} ({row['where']})"
        if not outcome.failed:
            of_runs = sums.setdefault(outcome.run.kind(), {}).setdefault(name, {})
            of_runs[outcome.index] = of_runs.get(outcome.index, 0) + (row["self_ns"] or 0) * 1e-9
    return {" ".join(map(str, kind)): {name: rounded(sum(by_run.values()) / len(good[kind])) for name, by_run in by.items()}
            for kind, by in sums.items()}


def rounded(value):
    return None if value is None else float(f"{value:.5g}")


def dump(value):
    """One line for each result, so that changes can be read."""
    lines = []
    for key, part in value.items():
        if isinstance(part, list) and part:
            rows = ",\n  ".join(json.dumps(row) for row in part)
            lines.append(f' "{key}": [\n  {rows}\n ]')
        elif isinstance(part, dict) and part and all(isinstance(v, (dict, list)) for v in part.values()):
            rows = ",\n  ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in part.items())
            lines.append(f' "{key}": {{\n  {rows}\n }}')
        else:
            lines.append(f' "{key}": {json.dumps(part)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


# ---- files ----

def write(r, path, scratch):
    """In the format that the name's ending tells."""
    if path.endswith(("/", ".svg", ".png")) or os.path.isdir(path):
        ending = os.path.splitext(path.rstrip("/"))[1] or ".svg"
        os.makedirs(path, exist_ok=True)
        for figure in (b for b in blocks(r) if isinstance(b, Figure)):
            figure.draw(os.path.join(path, figure.name + ending))
        return
    ending = os.path.splitext(path)[1]
    if ending in (".pdf", ".tex", ".csv", ".sqlite"):
        results.dltrace_report([run.trace for run in r.traced], "--output", path)
        return
    shown = os.path.splitext(os.path.basename(path))[0] + "-figures"
    writers = {".html": lambda: as_html(blocks(r), scratch), ".json": lambda: dump(as_json(r)),
               ".txt": lambda: as_text(blocks(r)),
               ".md": lambda: as_markdown(blocks(r), os.path.join(os.path.dirname(path), shown), shown)}
    if ending not in writers:
        raise Wrong(f"{path}: no such format; .html .md .txt .json .pdf .tex .csv .sqlite, or a folder for figures, as figures.svg/")
    text = writers[ending]()
    if not os.path.isdir(os.path.dirname(path) or "."):
        raise Wrong(f"{path}: there is no folder {os.path.dirname(path)}")
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.rename(path + ".part", path)
