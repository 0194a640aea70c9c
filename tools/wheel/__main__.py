"""``python -m tools.wheel``: build wheel and source distribution, inspect them, and test the wheel.

Each environment is new and contains only the wheel and its requirements, from the index that pip uses.  To
test another Python, run this module with it: ``python3.13 -m tools.wheel``.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from tools.wheel.building import WheelError, build
from tools.wheel.contents import check_contents
from tools.wheel.trying import EXTRAS, try_all, try_base, try_extra

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 1 if a check fails."""
    parser = argparse.ArgumentParser(prog="python -m tools.wheel", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="inspect the wheel and test it without extras")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="write wheel and source distribution to this folder"
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        try:
            built = build(folder)
            _say(check_contents(built))
            demo = folder / "demo"
            _say(try_base(built.wheel, demo))
            if not options.quick:
                for extra in EXTRAS:
                    _say(try_extra(built.wheel, demo, extra))
                _say(try_all(built.wheel, demo))
        except WheelError as error:
            _say(f"wrong: {error}")
            return 1
        if options.keep is not None:
            options.keep.mkdir(parents=True, exist_ok=True)
            for file in (built.wheel, built.sdist):
                shutil.copy(file, options.keep)
    return 0


def _say(message: str) -> None:
    sys.stdout.write(f"{message}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
