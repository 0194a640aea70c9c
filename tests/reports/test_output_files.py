"""Names of output files."""

from doxel.reports.output_files import claim_name


def test_names_that_differ_in_case_only_do_not_overwrite_each_other():
    # gr (gain-recall) and GR (targets seen) are two curves but the same file name on some systems
    taken: set[str] = set()
    assert [claim_name(stem, taken) for stem in ("gr", "GR", "gr", "ep")] == ["gr", "GR-2", "gr-3", "ep"]
