"""Files of BioASQ that cannot be read are refused, with the line and what was expected."""

import pytest

from doxel.errors import InputError
from doxel.runs.campaigns.bioasq_questions import list_documents, list_snippets, read_questions
from runs.campaigns.bioasq_files import URL, encode, question, snippet


def read(data):
    file, questions = read_questions(data, "answers.json")
    return [list_snippets(file, entry) for entry in questions]


def test_a_document_is_the_last_part_of_its_address_and_counts_once():
    file, (entry,) = read_questions(encode(question("q", documents=[7, 8, 7])), "a.json")
    entry["documents"].append("https://pubmed.ncbi.nlm.nih.gov/8/")
    assert entry["documents"][0] == f"{URL}7"
    assert list_documents(file, entry) == ["7", "8"]


@pytest.mark.parametrize(
    ("change", "problem", "wanted", "found"),
    [
        (
            {"offsetInBeginSection": "1"},
            "the offsetInBeginSection of the snippet",
            "a whole number, 0 or more",
            "'1'",
        ),
        (
            {"offsetInEndSection": None},
            "the offsetInEndSection of the snippet",
            "a whole number, 0 or more",
            "nothing",
        ),
        ({"document": 7}, "the document of the snippet", "a text", "7"),
        ({"beginSection": None}, "the beginSection of the snippet", "a text", "nothing"),
        ({"offsetInBeginSection": 9}, "a snippet", "an end after its start", "offsets 9 and 5"),
        ({"document": "/"}, "a snippet", "a document, and sections without /", "'', 'abstract', 'abstract'"),
    ],
)
def test_an_odd_snippet_is_an_error_with_its_line(change, problem, wanted, found):
    with pytest.raises(InputError) as caught:
        read(encode(question("q", snippet(1, 0, 5) | change)))
    error = caught.value
    assert (error.file, error.line) == ("answers.json", 8)
    assert (error.problem, error.wanted, error.found) == (problem, wanted, found)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"questions": {}}', "line 1: the questions of the file: wanted a list, found {}"),
        (b'{"questions": []}', "empty file: wanted questions, found none"),
        (
            b'{"questions": [\n{"body": "x"}]}',
            "line 2: the id of the question: wanted a string that is not empty",
        ),
        (b'{"questions": [\n{"id": 1},\n{"id": 1}]}', "line 3: '1' occurs twice"),
        (b'{"questions": [', "line 1: a JSON file"),
    ],
)
def test_an_odd_file_is_an_error_with_its_line(data, message):
    with pytest.raises(InputError) as caught:
        read(data)
    assert message in str(caught.value)
