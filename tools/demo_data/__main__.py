"""``python -m tools.demo_data [FOLDER]``: make the demo's data files, in FOLDER or in the package."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.demo_data.demo_files import make_demo_files

if __name__ == "__main__":
    make_demo_files(*map(Path, sys.argv[1:2]))
