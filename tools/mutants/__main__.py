"""``python -m tools.mutants``: apply every mutant to a copy of the package; each must turn a test red."""

from __future__ import annotations

import argparse
import os
import sys
import time

from tools.mutants.mutant import Mutant, MutantError
from tools.mutants.running import run
from tools.mutants.table import MUTANTS, without_mutants

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 1 if a mutant survives or does not fit its file."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("only", nargs="*", help="only mutants whose file or description contains this")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="how many at once")
    parser.add_argument("--list", action="store_true", help="list the mutants and the edits")
    options = parser.parse_args(arguments)
    mutants = [
        mutant for mutant in MUTANTS if not options.only or any(word in str(mutant) for word in options.only)
    ]
    if options.list:
        _say(*(f"{mutant}\n    - {mutant.old!r}\n    + {mutant.new!r}" for mutant in mutants))
        return 0
    try:
        return _run(mutants, options.jobs)
    except MutantError as error:
        _say(str(error))
        return 1


def _run(mutants: list[Mutant], jobs: int) -> int:
    began = time.monotonic()
    survivors = []
    for number, outcome in enumerate(run(mutants, jobs=jobs), 1):
        if not outcome.dead:
            survivors.append(outcome.mutant)
        state = "dead    " if outcome.dead else "SURVIVES"
        _say(f"{number:4}/{len(mutants)}  {state}  {outcome.seconds:5.1f} s  {outcome.mutant}")
    _say(f"{len(mutants)} mutants, {len(survivors)} survive, {time.monotonic() - began:.0f} s")
    _say(*(f"SURVIVES  {mutant}\n    - {mutant.old!r}\n    + {mutant.new!r}" for mutant in survivors))
    _say(*(f"no mutants yet: {file}" for file in without_mutants()))
    return 1 if survivors else 0


def _say(*lines: str) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
