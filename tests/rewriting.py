"""The test files as pytest rewrites them, cached by all workers together."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

__all__ = ["fill_cache", "spare_package"]

ROOT = Path(__file__).resolve().parents[1]


def spare_package(config: pytest.Config) -> None:
    """Import doxel as it is compiled: it contains a plug-in, so pytest would rewrite all of it in vain.

    The linter allows no assert in the package.
    """
    if config.getoption("assertmode") == "rewrite":
        config.pluginmanager.rewrite_hook._must_rewrite.discard("doxel")


def fill_cache(config: pytest.Config) -> None:
    """Rewrite this worker's share of the files that the cache does not contain.

    All workers import all files in the same order. In a fresh clone each of them would rewrite every file,
    because the others are not quicker; rewriting takes longer than everything else before the first test.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ or sys.dont_write_bytecode:
        return
    number = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
    for path in _list_files()[number :: int(os.environ["PYTEST_XDIST_WORKER_COUNT"])]:
        folder = rewrite.get_cache_dir(path)
        cached = folder / f"{path.stem}{rewrite.PYC_TAIL}"
        if cached.exists() or not rewrite.try_makedirs(folder):
            continue  # an outdated file is replaced when it is imported
        source_hash, code = rewrite._rewrite_test(path, config)
        rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source_hash, cached)


def _list_files() -> list[Path]:
    """Return the files that pytest rewrites."""
    files = (ROOT / "tests").rglob("*.py")
    return sorted(path for path in files if path.match("test_*.py") or path.stem == "conftest")
