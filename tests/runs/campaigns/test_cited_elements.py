"""Parts cited by a campaign's own ids become results, and an unchanged run gives back its objects."""

from dataclasses import replace

from doxel.runs import RESULTS, Run
from doxel.runs.campaigns.cited_elements import encode_objects, list_cited_elements, restore_objects


def build(name):
    return f"/p[{name}]" if name.isdigit() else None


def list_results(file, objects):
    return [
        row
        for item in objects
        for row in list_cited_elements("1", "d", item["ids"], build, file.find_line(item))
    ]


def test_an_id_without_a_path_is_a_result_that_was_not_found():
    rows = list_cited_elements("1", "d", ["3", "x"], build, 7)
    assert [(row["rank"], row["path"], row.get("start"), row["line"]) for row in rows] == [
        (1, "/p[3]", None, 7),
        (2, None, -1, 7),
    ]


def test_objects_are_restored_and_a_change_is_noticed():
    rows = list_cited_elements("1", "d", ["3", "4"], build, 1)
    run = Run("r", RESULTS.from_rows(rows), about={"ours": '{"ids": ["3", "4"], "more": 1}'})
    assert restore_objects(run, "ours", list_results) == ([{"ids": ["3", "4"], "more": 1}], True)
    shorter = replace(run, results=run.results.head(1))
    assert restore_objects(shorter, "ours", list_results)[1] is False
    assert restore_objects(run, "other", list_results) == ([], False)


def test_content_is_encoded_as_text_that_people_can_read():
    assert encode_objects([{"a": "é"}]).decode() == '[\n {\n  "a": "é"\n }\n]\n'
