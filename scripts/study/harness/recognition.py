# SPDX-License-Identifier: MIT
"""What a report tells of the frameworks in a process, the one on top first, against what frameworks.tbl wants."""
from harness import environments


def parts_of(framework):
    return [part for layer in framework.stack for part in layer]


def versions_of(framework):
    """{package: version} as they are installed; None where metadata tell none."""
    packages = {part.package for part in parts_of(framework) if part.package}
    return {package: environments.version(framework.environment, package) for package in packages}


def is_version(part, versions, told):
    """Without a version to compare with nothing is told right."""
    wanted = versions.get(part.package)
    return told is None if not part.package else wanted is not None and (told or "").split("+")[0] == wanted


def states_of(framework, part):
    """What may be told of whether it works. Who sits on an engine may do all by that, so it need not be known."""
    if part.idle:
        return ("imported",)
    if framework.module:
        return (None,)
    return ("works",) if part in framework.stack[-1] and not part.unseen else ("works", None)


def is_stack(framework, versions, told):
    """Has a process all parts, each with its version and state, and all of a layer before all of the next one?"""
    found = {one["name"]: (place, one) for place, one in enumerate(told)}
    for part in parts_of(framework):
        _, one = found.get(part.name, (None, None))
        if not one or not is_version(part, versions, one["version"]) or one["state"] not in states_of(framework, part):
            return False
    places = [[found[part.name][0] for part in layer] for layer in framework.stack]
    return all(max(above) < min(below) for above, below in zip(places, places[1:]))


def others_than(framework, processes):
    """What is in any process without being wanted, and not only imported; each once."""
    names = {part.name for part in parts_of(framework)}
    return list({one["name"]: one for told in processes for one in told
                 if one["name"] not in names and one["state"] != "imported"}.values())


def part_text(framework, part, versions, told):
    one = told.get(part.name)
    if not one:
        return f"no {part.name}"
    words = [part.name] + ([one["version"] or "?"] if part.package else [])
    if part.package and versions.get(part.package) is None:
        words.append(f"(no version of {part.package} is installed)")
    if one["state"] == "imported":
        words.append("(only imported)")
    elif one["state"] not in states_of(framework, part):
        words.append("(not told to work)" if one["state"] is None else f"({one['state']})")
    return " ".join(words)


def judged(framework, report, ranks):
    """(right, text): a process of each rank has all that is wanted, and none has anything else."""
    processes = [process["frameworks"] or [] for process in report["processes"]]
    versions, others = versions_of(framework), others_than(framework, processes)
    right = sum(is_stack(framework, versions, told) for told in processes)
    told = {one["name"]: one for one in max(processes, key=len, default=[])}
    layers = (" + ".join(part_text(framework, part, versions, told) for part in layer) for layer in framework.stack)
    more = (f", and {one['name']} {one['version'] or '?'}" for one in others)
    return right >= ranks and not others, " > ".join(layers) + "".join(more)
