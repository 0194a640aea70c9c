"""Checks of grades and highlights."""

from checks.cases import P1, SEC1, lines
from doxel.checks.checker import check_inputs


def test_highlights_that_touch_do_not_overlap(tmp_path):
    (tmp_path / "q").write_text("1 Q0 a 10 21 0 0:5 5:5\n")
    assert check_inputs(assessments=tmp_path / "q").codes == []


def test_too_small_is_between_0_and_1(tmp_path):
    def codes(outer, inner):
        graded = [
            f'<element path="{path}" exhaustivity="{grade}" size="9" rsize="{int(grade != "0")}"/>'
            for path, grade in ((SEC1, outer), (P1, inner))
        ]
        path = tmp_path / "q"
        path.write_text(lines('<assessments topic="1">', '<file name="a">', *graded, "</file></assessments>"))
        return check_inputs(assessments=path).codes

    order = ["0", "?", "1", "2"]
    for number, outer in enumerate(order):
        for inner in order[: number + 1]:
            assert codes(outer, inner) == ([] if outer != "0" else ["A503"])
        for inner in order[number + 1 :]:
            assert codes(outer, inner) == ["A303"]
