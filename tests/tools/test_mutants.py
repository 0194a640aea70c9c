"""The table of mutants fits the code (``make mutants`` runs the tests against them)."""

from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "doxel"


@pytest.fixture(scope="module")
def table():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from tools.mutants import table

        yield table


def test_every_mutant_changes_one_place_of_its_file_and_still_compiles(table):
    files = {mutant.file for mutant in table.MUTANTS}
    texts = {file: (SOURCE / file).read_text(encoding="utf-8") for file in files}
    for mutant in table.MUTANTS:
        changed = mutant.apply(texts[mutant.file])
        assert changed != texts[mutant.file]
        compile(changed, mutant.file, "exec")


def test_every_mutant_has_tests(table):
    for mutant in table.MUTANTS:
        assert mutant.why
        assert table.tests_of(mutant)


def test_every_named_test_and_every_mutated_file_exists(table):
    named = {test for tests in table.TESTS.values() for test in tests}
    assert sorted(test for test in named if not (ROOT / test).exists()) == []
    assert sorted(file for file in table.TESTS if not (SOURCE / file).exists()) == []


def test_no_mutant_is_listed_twice(table):
    counts = Counter((mutant.file, mutant.old, mutant.new) for mutant in table.MUTANTS)
    assert [mutant for mutant, count in counts.items() if count > 1] == []


def test_there_are_enough_mutants(table):
    counts = Counter(mutant.file for mutant in table.MUTANTS)
    assert len(table.MUTANTS) >= 200
    assert min(counts.values()) >= 2
