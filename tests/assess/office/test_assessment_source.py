"""A database can be named instead of a file of assessments, and means its official judgements."""

import pytest

import doxel
from assess.saying import say
from doxel.assess.office.assessment_source import hash_site_database, read_site_assessments
from doxel.assess.store.assignments import create_assignment, make_official
from doxel.assess.store.database_schema import SETTINGS
from doxel.errors import InputError


@pytest.fixture
def judged(campaign, library):
    """apples done by anna and by ben, on the scale of 2006; pears begun by anna."""
    with campaign.write() as connection:
        create_assignment(connection, "1", 2)
    for number, end in ((1, 6), (2, 4)):
        say(
            campaign,
            library,
            number,
            ("apples", "highlight", {"spans": [[0, end]]}),
            ("apples", "bep", {"position": 0}),
            ("apples", "validate", {}),
        )
    say(campaign, library, 1, ("pears", "highlight", {"spans": [[0, 5]]}))
    return campaign


@pytest.mark.usefixtures("judged")
def test_the_official_judgements_are_read(database):
    assessments = doxel.read_assessments(database)
    assert assessments.judged.select("topic", "doc", "docsize").rows() == [("1", "apples", 6 + 20 + 19 + 22)]
    assert assessments.highlights.select("start", "end").rows() == [(0, 6)]
    assert assessments.beps["position"].to_list() == [0]
    assert assessments.notes == ("topic 1 of anna: 1 of 2 documents is not done and left out",)


@pytest.mark.usefixtures("judged")
def test_the_address_of_a_sqlite_file_is_accepted(database):
    if not database.startswith("postgresql"):
        assert doxel.read_assessments(f"sqlite:///{database}").judged.height == 1


def test_another_assessor_or_scale_is_chosen_in_the_address(judged, database, library):
    address = database if database.startswith("postgresql") else f"sqlite:///{database}"
    assert read_site_assessments(f"{address}?assessor=ben").highlights["end"].to_list() == [4]
    with judged.write() as connection:
        number = create_assignment(connection, "2", 1, "2003")
    with pytest.raises(InputError, match=r"several scales: wanted one of them, as in sqlite:.*\?scale=2006"):
        read_site_assessments(database)
    grades = {"exhaustivity": "2", "specificity": "1"}
    say(judged, library, number, ("plums", "grade", {"path": "/article[1]", "grades": grades}))
    say(judged, library, number, ("plums", "validate", {}))
    assert read_site_assessments(f"{address}?scale=2006").judged["doc"].to_list() == ["apples"]
    elements = read_site_assessments(f"{address}?scale=2003").elements
    assert elements.select("path", "exhaustivity", "specificity").rows() == [("/article[1]", "2", "1")]


def test_without_the_collection_sizes_are_unknown_and_grades_an_error(judged, database, library, tmp_path):
    with judged.write() as connection:
        connection.execute(
            SETTINGS.update().where(SETTINGS.c.name == "collection").values(value=str(tmp_path / "gone"))
        )
    assert read_site_assessments(database).judged["docsize"].to_list() == [None]
    with judged.write() as connection:
        number = create_assignment(connection, "2", 1, "2003")
        connection.exec_driver_sql("DELETE FROM assignment_documents")
    grades = {"exhaustivity": "2", "specificity": "1"}
    say(judged, library, number, ("plums", "grade", {"path": "/article[1]", "grades": grades}))
    say(judged, library, number, ("plums", "validate", {}))
    address = database if database.startswith("postgresql") else f"sqlite:///{database}"
    with pytest.raises(InputError, match="wanted the collection, whose elements were graded"):
        read_site_assessments(f"{address}?scale=2003")


@pytest.mark.usefixtures("campaign")
def test_a_database_without_judgements_is_an_error_in_words(database):
    with pytest.raises(InputError, match="wanted judged documents, found none"):
        doxel.read_assessments(database)
    assert read_site_assessments(database).judged.height == 0


def test_a_missing_database_is_not_created(tmp_path):
    with pytest.raises(InputError, match="no database"):
        read_site_assessments(f"sqlite:///{tmp_path / 'none.sqlite'}")
    assert list(tmp_path.iterdir()) == []


def test_the_hash_follows_the_judgements(judged, database, library):
    name, count, before = hash_site_database(database)
    assert "correct" not in name
    assert count == 7
    assert hash_site_database(database)[2] == before
    with judged.write() as connection:
        make_official(connection, 2)
    after = hash_site_database(database)[2]
    assert after != before
    say(judged, library, 2, ("pears", "validate", {}))
    assert hash_site_database(database)[2] != after
