# ruff: noqa: T201 -- a command-line tool
"""Search for faults for a given time: ``PYTHONPATH=tests python -m fuzz --seconds 300 runs topics``.

Damaged files go to every reader, and with the target ``http`` hostile requests go to every endpoint of the
assessment server; each gets half of the time.  Every distinct fault is printed once, with a small input that
shows it; the exit status is 1 if there is any.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import subprocess
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from fuzz.holding import Fault, attempt, limited
from fuzz.targets import TARGETS, Target

_PATIENCE = 400  # seconds


def main() -> int:
    """Try targets in turn until the time is over; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="TARGET", help="the beginning of a name, or http; default: all"
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    targets = [
        target
        for target in TARGETS.values()
        if not options.names or target.name.startswith(tuple(options.names))
    ]
    has_http = not options.names or "http" in options.names
    share = options.seconds / (bool(targets) + has_http or 1)
    is_faulty = bool(targets) and _damage_files(targets, share, options.seed)
    if has_http:
        is_faulty |= _send_requests(share, options.seed)
    return int(is_faulty)


def _damage_files(targets: list[Target], seconds: float, seed: int) -> bool:
    """Give damaged files to readers; return whether there was a fault."""
    limited(gigabytes=6)
    outcomes: Counter[str] = Counter()
    faults: dict[str, tuple[int, Fault]] = {}
    number, end = seed, time.monotonic() + seconds
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
    print(
        f"files: {outcomes.total():,} to {len(targets)} targets in {seconds:.0f} s: {dict(outcomes)}",
        flush=True,
    )
    return bool(faults)


def _send_requests(seconds: float, seed: int) -> bool:
    """Send requests of four people to the endpoints of a server; return whether there was a fault."""
    tests = Path(__file__).resolve().parents[1] / "hostile" / "judging" / "test_requests.py"
    people = 4
    environment = {**os.environ, "FUZZ_SECONDS": str(seconds / people), "FUZZ_SEED": str(seed)}
    print(f"requests: of {people} people in {seconds:.0f} s", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", "-s", str(tests), "-k", "sqlite"]
    return subprocess.run(command, env=environment, check=False).returncode != 0


if __name__ == "__main__":
    sys.exit(main())
