"""Files for gnuplot: they run through gnuplot and give a picture, whatever runs are called."""

import os
import shutil
import subprocess

import numpy as np
import pytest

from doxel.reports.gnuplot import gnuplot_files
from doxel.reports.pictures import Line, Picture

X = np.arange(1, 101) / 100
HOSTILE = [
    "it's",
    "a`touch owned`b",
    '"; system("touch owned"); #',
    "a\nset output '/dev/null'",
    "α_{1}^2",
    "@x",
]


@pytest.fixture(scope="session")
def gnuplot() -> str:
    """The program; where it must be there (REQUIRE_GNUPLOT) its absence is a failure."""
    found = shutil.which("gnuplot")
    if found is None and os.environ.get("REQUIRE_GNUPLOT"):
        pytest.fail("gnuplot is required and not there")
    return found or pytest.skip("gnuplot is not installed")


def picture(names: list[str], *, ranks: bool = False, bands: bool = True) -> Picture:
    x = np.arange(0.0, 60) if ranks else X
    lines = []
    for number, name in enumerate(names, 1):
        y = np.linspace(0.9, 0.1, len(x)) / number
        lines.append(Line(name, x, y, y * 0.8, y * 1.1) if bands else Line(name, x, y))
    return Picture("nxCG(alpha=1)", "mean of 9 topics", "rank", "nxCG", ranks, tuple(lines))


def drawn(gnuplot: str, folder, one: Picture, *arguments: str) -> None:
    data, script = gnuplot_files(one, "curve")
    (folder / "curve.dat").write_text(data, encoding="utf-8")
    (folder / "curve.gp").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [gnuplot, *arguments, "curve.gp"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr.strip()


@pytest.mark.parametrize("ranks", [False, True], ids=["recall", "ranks"])
@pytest.mark.parametrize("bands", [False, True], ids=["topic", "mean"])
def test_the_script_draws_an_svg(gnuplot, tmp_path, ranks, bands):
    drawn(gnuplot, tmp_path, picture(["a", "b"], ranks=ranks, bands=bands))
    svg = (tmp_path / "curve.gnuplot.svg").read_text(encoding="utf-8")
    assert "<svg" in svg
    assert svg.count("<path") > 4  # lines, and not only axes


@pytest.mark.parametrize(("kind", "begins"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_another_file_decides_about_the_format(gnuplot, tmp_path, kind, begins):
    drawn(gnuplot, tmp_path, picture(["a"]), "-e", f"out='other.{kind}'")
    assert (tmp_path / f"other.{kind}").read_bytes().startswith(begins)
    assert not (tmp_path / "curve.gnuplot.svg").exists()


def test_hostile_names_are_shown_and_run_nothing(gnuplot, tmp_path):
    drawn(gnuplot, tmp_path, picture(HOSTILE))
    svg = (tmp_path / "curve.gnuplot.svg").read_text(encoding="utf-8")
    assert "α_{1}^2" in svg
    assert "a`touch owned`b" in svg
    assert not (tmp_path / "owned").exists()


def test_the_data_hold_a_block_a_run_with_full_precision():
    one = picture(["a", "b"])
    data, _ = gnuplot_files(one, "curve")
    blocks = data.split("\n\n\n")
    assert len(blocks) == 2
    for line, block in zip(one.lines, blocks, strict=True):
        rows = [row for row in block.splitlines() if not row.startswith("#")]
        table = np.array([[float(value) for value in row.split()] for row in rows])
        assert table[:, 0].tolist() == line.x.tolist()
        assert table[:, 1].tolist() == line.y.tolist()
        assert table[:, 3].tolist() == line.high.tolist()


def test_undefined_points_are_left_out(gnuplot, tmp_path):
    y = np.where(X > 0.5, np.nan, X)
    drawn(gnuplot, tmp_path, Picture("c", "", "x", "y", ranks=False, lines=(Line("a", X, y),)))
    assert (tmp_path / "curve.gnuplot.svg").stat().st_size > 1000


def test_a_picture_without_runs_is_still_a_picture(gnuplot, tmp_path):
    drawn(gnuplot, tmp_path, picture([]))
    assert "<svg" in (tmp_path / "curve.gnuplot.svg").read_text(encoding="utf-8")
