"""Options and errors that the commands of the assessment site share."""

from documents.commands import doxel


def test_a_missing_extra_is_reported(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    for name in [name for name in sys.modules if name.startswith("doxel.assess.")]:
        monkeypatch.delitem(sys.modules, name)
    outcome = doxel("assess", "status", "--database", "x.sqlite")
    assert (outcome.status, outcome.messages) == (
        2,
        ['doxel: doxel assess needs an optional dependency: pip install "doxel[web]"'],
    )
