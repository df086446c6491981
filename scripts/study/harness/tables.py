# SPDX-License-Identifier: MIT
"""The two tables of the study, frameworks.tbl and environments.tbl, as objects."""
import collections
import os
import re
import shlex

STUDY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = ("alexnet", "mobilenet_v2", "resnet50", "vgg16")
MADE_UP = "made-up"  # what the data set of a job is called


class Wrong(Exception):
    """Something that the user can mend; one line that says what, why and what to do."""


class Environment:
    """A line of environments.tbl with what is indented below it."""

    def __init__(self, name, python, megabytes):
        self.name, self.python, self.megabytes = name, python, int(megabytes)
        self.pip, self.debian, self.modules, self.libraries, self.links = [], [], [], [], []
        self.variables, self.gpu = {}, False

    def add(self, key, words):
        if key == "pip":
            self.pip.append(words)
        elif key == "debian":
            self.debian += words
        elif key == "try":
            self.modules += words
        elif key == "libraries":
            self.libraries += words
        elif key == "link" and len(words) == 2:
            self.links.append(tuple(words))
        elif key == "gpu" and not words:
            self.gpu = True
        elif key == "set":
            self.variables.update(assignment(word) for word in words)
        else:
            raise ValueError(f"unknown: {key} {' '.join(words)}")

    def made_of(self):
        """The text that tells whether an environment is still what the table says."""
        lines = [f"{self.name} {self.python}"] + ["pip " + shlex.join(words) for words in self.pip]
        return "\n".join(lines + [f"link {new} {old}" for new, old in self.links]) + "\n"


class Job:
    """A line of jobs.tbl: a training whose data is made up."""

    def __init__(self, name, what, examples, classes, size, does):
        self.name, self.examples = name, int(examples)


# What is told of a framework: its name, the package whose version it has (None: it has none), and whether it is only
# imported, there beside what the framework is called by, or does nothing that is seen.
Part = collections.namedtuple("Part", "name package idle beside unseen")


def part(word):
    """frameworks.tbl says what the signs mean."""
    word = word.strip()
    name, colon, package = word.strip("()[]").rpartition(":")
    if not colon:
        raise ValueError(f"no NAME:PACKAGE: {word}")
    unseen, package = package.endswith("?"), package.rstrip("?")
    return Part(name, None if package == "-" else package, word[0] == "(", word[0] == "[", unseen)


def layers(text):
    """[[Part]], the top layer first."""
    return [] if text == "-" else [[part(word) for word in layer.split("+")] for layer in text.split(">")]


class Framework:
    """A line of frameworks.tbl; its stack as layers() has it."""

    def __init__(self, name, environment, script, models, stack, *variables):
        self.name, self.environment = name, environment
        self.module = script[len("import:"):] if script.startswith("import:") else None
        before, _, script = ("", "", script) if self.module else script.rpartition(":")
        self.driver = before == "driver"
        self.way = None if self.driver else before or None
        self.script = None if self.module else os.path.join(STUDY, "train", script)
        self.models = tuple(m for word in models.split(",") for m in GROUPS.get(word, (word,)))
        self.stack = layers(stack)
        self.variables = dict(assignment(word) for word in variables)


def assignment(word):
    name, equals, value = word.partition("=")
    if not equals:
        raise ValueError(f"no NAME=VALUE: {word}")
    return name, value


def assignments(words):
    """The NAME=VALUE in front as a dictionary, and the other words."""
    count = 0
    while count < len(words) and re.match(r"[A-Z_][A-Z0-9_]*=", words[count]):
        count += 1
    return dict(assignment(word) for word in words[:count]), words[count:]


def lines(path):
    """(number, whether it is indented, words) of every line that has some."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = shlex.split(line, comments=True)
            if words:
                yield number, line[0].isspace(), words


def read_jobs(path=os.path.join(STUDY, "jobs.tbl")):
    return {words[0]: Job(*words) for _, _, words in lines(path)}


JOBS = read_jobs()
# What stands for several models in frameworks.tbl.
GROUPS = {"-": (), "all": MODELS, "jobs": tuple(JOBS)}


def read_environments(path=os.path.join(STUDY, "environments.tbl")):
    environments = {}
    for number, indented, words in lines(path):
        try:
            if indented:
                list(environments.values())[-1].add(words[0], words[1:])
            else:
                environments[words[0]] = Environment(*words)
        except (IndexError, TypeError, ValueError) as error:
            raise Wrong(f"{path}:{number}: {error}") from None
    return environments


def read_frameworks(environments, path=os.path.join(STUDY, "frameworks.tbl")):
    frameworks = {}
    for number, _, words in lines(path):
        try:
            frameworks[words[0]] = Framework(words[0], environments[words[1]], *words[2:])
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise Wrong(f"{path}:{number}: {error}") from None
    return frameworks
