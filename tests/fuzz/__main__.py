# ruff: noqa: T201 -- a command-line tool
"""Search for faults for a given time: ``PYTHONPATH=tests python -m fuzz --seconds 300 runs topics``.

Every distinct fault is printed once, with a small input that shows it.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import time
import traceback
from collections import Counter

from fuzz.holding import Fault, attempt, limited
from fuzz.targets import TARGETS

_PATIENCE = 400  # seconds


def main() -> None:
    """Try targets in turn until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="TARGET", help="the beginning of a name; default: all")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    targets = [
        target
        for target in TARGETS.values()
        if not options.names or target.name.startswith(tuple(options.names))
    ]
    limited(gigabytes=6)
    outcomes: Counter[str] = Counter()
    faults: dict[str, tuple[int, Fault]] = {}
    number, end = options.seed, time.monotonic() + options.seconds
    while time.monotonic() < end:
        number += 1
        target = targets[number % len(targets)]
        # a hang in native code, where no signal is handled, prints a traceback and ends the process
        faulthandler.dump_traceback_later(_PATIENCE, exit=True)
        try:
            outcomes[attempt(target, random.Random(number))] += 1
        except Fault as fault:
            outcomes["fault"] += 1
            size = sum(map(len, fault.files.values()))
            smallest = faults.get(fault.kind)
            if smallest is None or size < smallest[0]:
                faults[fault.kind] = size, fault
                if smallest is None:
                    print(f"--- {target.name} {number}: {fault.kind}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    for kind, (_, fault) in sorted(faults.items()):
        print(f"\n=== {kind}\n{fault.shown()}")
        if fault.__cause__ is not None:
            print("".join(traceback.format_exception(fault.__cause__)[-6:]))
    print(dict(outcomes))


if __name__ == "__main__":
    main()
