#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains MobileNetV2 and switches an LTTng session on and off every few steps, in one process.

toggled_training.py SESSION SECONDS LIMIT: prints "off NS ALL" and "on NS ALL" for each pair of blocks (ns
a step) and "done" or "time" at the end: until the 95 % interval of the median difference is within
+- 0.5 % of a step and LIMIT (% of a step) is not in it, or SECONDS have passed. Pairs are ordered off-on, on-off, ... so that a drift
cancels. Steps in the first seconds after a switch are left out: a session that begins makes the
process say all that ids mean, once (320 libraries take 7 ms, as much as 1 % of a block).

NS is the mean of a block without its tenth at either end, ALL that of all its steps: on a shared
machine a few steps in a hundred take up to twice as long, and the mean of all needs three times as
many pairs. What dltrace does at once takes under 1 ms, where half of the steps differ by 4: it moves
no step to an end.
"""
import ctypes
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
import train  # noqa: E402  (runs again with a python3 that has torch)
import torch  # noqa: E402
import torchvision  # noqa: E402

STEPS = 20         # a block; as long as its settling at least
SETTLE = 1.5       # s before a block: the hidden thread looks once a second whether a session runs
MIN_PAIRS = 12
HALF_WIDTH = 0.005


def stepper():
    torch.manual_seed(1)
    model = torchvision.models.mobilenet_v2(weights=None, num_classes=train.CLASSES).train()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
    loss_of = torch.nn.CrossEntropyLoss()
    images, labels = torch.rand(8, 3, 64, 64), torch.arange(8) % train.CLASSES

    def step():
        loss = loss_of(model(images), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return step


def block(step):
    """ns of each step, in the order of their length."""
    settled = time.monotonic() + SETTLE
    while time.monotonic() < settled:
        step()
    times = [time.perf_counter_ns()]
    for _ in range(STEPS):
        step()
        times.append(time.perf_counter_ns())
    return sorted(b - a for a, b in zip(times, times[1:]))


def middle(times):
    return statistics.mean(times[STEPS // 10:-(STEPS // 10)])


def half_width(shares):
    """Half of the 95 % interval of the median, its error estimated by the median deviation."""
    middle = statistics.median(shares)
    deviation = 1.4826 * statistics.median(abs(s - middle) for s in shares)
    return 1.96 * 1.2533 * deviation / len(shares) ** 0.5


def main():
    session, seconds, limit = sys.argv[1].encode(), float(sys.argv[2]), float(sys.argv[3]) / 100
    control = ctypes.CDLL("liblttng-ctl.so.0")
    step = stepper()
    for _ in range(20):
        step()
    begin, shares = time.monotonic(), []
    while True:
        value = {}
        for on in (False, True) if len(shares) % 2 else (True, False):
            if on and control.lttng_start_tracing(session) < 0:
                sys.exit("the session cannot be started")
            value[on] = block(step)
            if on:
                control.lttng_stop_tracing(session)
        shares.append(middle(value[True]) / middle(value[False]) - 1)
        for on, word in ((False, "off"), (True, "on")):
            print(f"{word} {middle(value[on]):.0f} {statistics.mean(value[on]):.0f}", flush=True)
        width = half_width(shares)
        if len(shares) >= MIN_PAIRS and width <= HALF_WIDTH and abs(statistics.median(shares) - limit) > width:
            print("done")
            return
        if time.monotonic() - begin > seconds:
            print("time")
            return


main()
