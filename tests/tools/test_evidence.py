"""The counts on the pages are those that ``python -m tools.evidence`` prints."""

from pathlib import Path

from tools.evidence import ROOT, count_evidence, count_values


def test_the_pages_give_the_counts_that_the_command_prints(shared_data):
    assert shared_data.is_dir()
    *values, laws, mutants = count_evidence().values()
    worked, inex, trec, living = (f"{count:,}" for count in values)
    assert mutants > 500
    page = (ROOT / "docs/evidence.md").read_text("utf-8")
    assert f"| {inex} in its outputs, {worked} in a worked example |" in page
    assert f"| values of trec_eval, as printed | {trec} |" in page
    assert f"LoCoMo and QASPER | {living} |" in page
    assert f"for a declared reason | {laws} |" in page
    assert "must make a test fail | more than 500 |" in page
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert f"{values[0] + values[1]:,} values printed by inex_eval, {trec} by trec_eval" in readme
    assert f"{living} by the scorers of living campaigns, and more than 500 mutants" in readme


def test_lines_that_end_with_a_number_are_values(tmp_path):
    path = Path(tmp_path / "out")
    path.write_text("map\tall\t0.5\nrunid\tall\tmine\nrelstring\tall\t1\nx concepts\t0.1\n\nnum\t1\tNaN\n")
    assert count_values(path) == 2
