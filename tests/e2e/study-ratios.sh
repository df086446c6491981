# SPDX-License-Identifier: MIT
# A study's report sets ratios between frameworks beside the published ones: the first study's models, and the
# second study's jobs on both of its GPUs; the tables of published figures are whole.
. "$top_srcdir/tests/lib.sh"
export top_srcdir
python3 - <<'END' || fail "see above"
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["top_srcdir"] + "/scripts/study")
from harness import pages, results, tables

known, names = results.published_jobs(), tables.read_frameworks(tables.read_environments())
assert known["pytorch", "cifar_cnn"] == (169, 51) and known["knet", "imdb_rnn"] == (29, None)
assert known["caffe2", "imdb_rnn"] == (None, None)
families = {results.family(name) for name in names}
assert {name for name, _ in known} - families == {"gluon", "knet"}, families
assert set(results.PUBLISHED_JOBS) < set(tables.JOBS)
assert results.family("pytorch-debian") == "pytorch" and results.family("keras-theano") == "keras-theano"

class Study:
    """Seconds of (framework, job)."""
    def __init__(self, seconds):
        self.seconds = seconds
    def distinct(self, key):
        return ["cpu"] if key == "device" else list(dict.fromkeys(framework for framework, _ in self.seconds))
    def outcomes_of(self, model):
        return [s for (_, job), s in self.seconds.items() if job == model]
    def name_of(self, framework):
        return framework
    def cell(self, quantity, framework, device, model):
        return (self.seconds.get((framework, model)), None, 1, 0)

assert results.family("tensorflow-cuda") == "tensorflow" and results.family("paddle-2.6-cuda") == "paddle"

class Failed:
    """Repeats of one run, of which two ended alike."""
    def failures(self):
        run = {"framework": "mxnet", "model": "alexnet", "dataset": "small", "mode": "sgd", "device": "cpu"}
        for repeat, ended in (3, "exit 1"), (1, "exit 1"), (2, "exit 2"):
            yield dict(run, repeat=repeat), ended, f"died (pid {repeat})"

rows = list(pages.failure_table(Failed()))[1].rows
assert rows == [["mxnet alexnet small sgd cpu", "1, 3", "exit 1", "died (pid 3)"],
                ["mxnet alexnet small sgd cpu", "2", "exit 2", "died (pid 2)"]], rows

blocks = list(pages.job_ratio_tables(Study({("tensorflow-2.3", "cifar_cnn"): 6, ("pytorch-1.9", "cifar_cnn"): 4,
                                            ("pytorch-1.9", "imdb_rnn"): 2, ("jax", "cifar_cnn"): 1,
                                            ("caffe2", "cifar_cnn"): 2})))
heading, table = blocks[:2]
assert "pytorch-1.9" in heading.text and "K80" in heading.text, heading.text
assert table.header == ["framework", "device", "cifar_cnn", "imdb_rnn"], table.header
assert table.rows == [["tensorflow-2.3", "cpu", "1.50 (1.02, 1.12)", "– (0.968, 1.38)"],
                      ["caffe2", "cpu", "0.500 (0.876, 1.06)", "–"]], table.rows
assert not list(pages.job_ratio_tables(Study({("jax", "cifar_cnn"): 1, ("pytorch", "cifar_cnn"): 4}))), "one alone"

# Phases: runs without one of them spend nothing in it; where none has it, there is none; unknown ones do not count.
class Run:
    def __init__(self, failed=False, **phases):
        self.failed = failed
        self.phases = {name.replace("_", "-"): {"share": share} for name, share in phases.items()}
class Runs:
    phase = results.Results.phase
    def outcomes_of(self, **wanted):
        return [Run(start_up=60, compilation=30, steady=10), Run(start_up=80, steady=20), Run(), Run(True, start_up=1)]
assert Runs().phase("f", "cpu", lambda row: row["share"]) == ([70, 15, None, 15, None], 2, 3), \
    Runs().phase("f", "cpu", lambda row: row["share"])
assert Runs().phase("f", "cpu", lambda row: None if row["share"] == 80 else row["share"])[0][0] == 60

# Table 2: runs on a GPU, three of each kind, with their interval; one that failed counts as that; who used cuDNN.
class One:
    def __init__(self, framework, device, model, repeat, seconds, failed=False):
        self.run = {"framework": framework, "model": model, "dataset": "small", "mode": "batch", "device": device, "repeat": repeat}
        self.row, self.name, self.group, self.failed = {"mode": "mini-batch 4"}, framework + " 1.0", framework + model, failed
        self.epoch = self.epoch_cpu = self.training = self.total = self.cpu = self.memory = self.threads = seconds
        self.phases = {}
whole = results.Results.__new__(results.Results)
whole.outcomes = [One("pytorch", "cuda", "alexnet", i, seconds) for i, seconds in enumerate((1, 2, 3))]
whole.outcomes += [One("tensorflow", "cuda", "alexnet", i, 6, i == 2) for i in range(3)]
whole.outcomes += [One("pytorch", "cuda", "vgg16", 0, 20), One("pytorch", "cpu", "alexnet", 0, 40)]
whole.traced = [o.run for o in whole.outcomes]
whole.report = {"study": [{"group": "pytorchalexnet", "cudnn": "used"}, {"group": "tensorflowalexnet", "cudnn": "loaded"}]}
assert results.mean_interval([5]) == (5, None, 1) and results.mean_interval([]) is None
told = list(pages.time_tables(whole))
headings = [block.text for block in told if isinstance(block, pages.Heading)]
assert [text for text in headings if text.startswith("Table")] == ["Table 1: CPU", "Table 2: GPU"], headings
gpu = told[[isinstance(b, pages.Heading) and b.text == "Table 2: GPU" for b in told].index(True):]
epoch = next(block for block in gpu if isinstance(block, pages.Table))
assert epoch.header == ["framework", "mode", "alexnet", "vgg16"], epoch.header
assert epoch.rows == [["pytorch 1.0", "mini-batch 4", "2 ± 2.48", "20"],
                      ["tensorflow 1.0", "mini-batch 4", "6 ± 0 (1 failed)", "–"]], epoch.rows
ratios = next(block for block in gpu if isinstance(block, pages.Table) and block.rows[0][0].startswith("tensorflow 1.0, small"))
published = results.published()
there = [published["cuda", name, "small"]["alexnet"] for name in ("tensorflow", "pytorch")]
assert ratios.rows[0][2] == f"3 ({pages.number(there[0] / there[1])})", ratios.rows
cudnn = next(block for block in reversed(gpu) if isinstance(block, pages.Table))
assert cudnn.rows == [["pytorch 1.0", "cuda", "used", "–"], ["tensorflow 1.0", "cuda", "loaded", "–"]], cudnn.rows
END
