"""Markdown: positions in the source file, elements from blocks, sections from headings."""

import json
import re

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import doxel
from documents.commands import doxel as command
from documents.commands import write_files
from documents.random_markdown import known_blocks, scraps
from documents.shapes import check_document, ingested, shape, slices
from doxel.documents.parsing.markdown import outline_markdown
from doxel.errors import InputError
from random_share import count_cases

SOURCE = """# Title 😀

Some *text*
over two lines.

## Lists

- tight
- item
  1. inner

* loose

  with two paragraphs

## Rest
> quoted
> > twice

| a | b |
|---|---|
| 1 | 2 |

```python
# no heading
```

    indented code

[link]: http://example.org

Setext
------
end
"""


@pytest.fixture
def document():
    with ingested({"a.md": SOURCE}) as collection:
        yield collection["a"]


def test_the_text_is_the_source(document):
    assert document.text == SOURCE
    check_document(document)


def test_headings_open_sections(document):
    sections = slices(document, "section")
    assert [section.splitlines()[0] for section in sections] == [
        "# Title 😀",
        "## Lists",
        "## Rest",
        "Setext",
    ]
    assert sections[0] == SOURCE.rstrip()
    assert sections[2].endswith("[link]: http://example.org")  # text outside blocks belongs to its section
    assert document.path(document.find("/document[1]/section[1]/section[3]/h2[1]"))


def test_blocks_begin_after_the_marks_of_the_blocks_around_them(document):
    assert slices(document, "h1") == ["# Title 😀"]
    assert slices(document, "h2") == ["## Lists", "## Rest", "Setext\n------"]
    assert slices(document, "p") == [
        "Some *text*\nover two lines.",
        "loose",
        "with two paragraphs",
        "quoted",
        "twice",
        "end",
    ]
    assert slices(document, "li") == [
        "- tight",
        "- item\n  1. inner",
        "1. inner",
        "* loose\n\n  with two paragraphs",
    ]
    assert slices(document, "ul")[0] == "- tight\n- item\n  1. inner"
    assert slices(document, "blockquote") == ["> quoted\n> > twice", "> twice"]
    assert slices(document, "pre") == ["```python\n# no heading\n```", "    indented code"]
    assert slices(document, "tr") == ["| a | b |", "| 1 | 2 |"]
    assert slices(document, "table") == ["| a | b |\n|---|---|\n| 1 | 2 |"]


def test_the_language_of_code_and_the_start_of_a_list_are_attributes():
    with ingested({"a.md": "```python title=x\npass\n```\n\n7. seven\n"}) as collection:
        document = collection["a"]
        assert document.attributes(document.find("/document/pre")) == {"language": "python"}
        assert document.attributes(document.find("/document/ol")) == {"start": "7"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("---\ntitle: a\n---\ntext", ["metadata", "p"]),
        ("+++\ntitle = 'a'\n+++\n# h", ["metadata", ("section", ["h1"])]),
        ("---\ntitle: a\n...\ntext", ["metadata", "p"]),
        ("---\n\ntext\n\n---", ["hr", "p", "hr"]),  # a rule, not front matter
        ("---\ntitle: a\n", ["hr", "p"]),  # never closed
        ("text\n\n---\na: b\n---", ["p", "hr", ("section", ["h2"])]),
        ("---\na: b\n---", ["metadata"]),
    ],
)
def test_front_matter_is_recognised(source, expected):
    with ingested({"a.md": source}) as collection:
        assert shape(collection["a"]) == ("document", expected)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("### a\n# b\n## c\n#### d\n## e", [
            ("section", ["h3"]),
            ("section", ["h1", ("section", ["h2", ("section", ["h4"])]), ("section", ["h2"])]),
        ]),
        ("> # a\n> text\n\nafter", [("blockquote", [("section", ["h1", "p"])]), "p"]),
        ("- # a\n\n  text\n- b", [("ul", [("li", [("section", ["h1", "p"])]), ("li", ["p"])])]),
        ("#no heading\n\n####### nor this", ["p", "p"]),
        ("-\n  text", [("ul", ["li"])]),
        ("\ttab\n\n-\titem", ["pre", ("ul", ["li"])]),
        ("a\n\nb", ["p", "p"]),
    ],
)  # fmt: skip
def test_blocks_nest_as_in_commonmark(source, expected):
    with ingested({"a.md": source}) as collection:
        assert shape(collection["a"]) == ("document", expected)


@given(known_blocks())
@settings(max_examples=count_cases(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_blocks_match_those_the_source_was_generated_from(generated):
    source, expected = generated
    with ingested({"a.md": source.encode()}) as collection:
        document = collection["a"]
        assert document.text == source
        assert shape(document) == expected
        check_document(document)
        words = re.findall(r"w\d+w", source)
        leaves = [
            document.text_of(row)
            for row in range(len(document.forest))
            if re.match(r"h\d|p|pre|table|html", document.elements["tag"][row])
            and "w" in document.text_of(row)
        ]
        assert [word for leaf in leaves for word in re.findall(r"w\d+w", leaf)] == words


@given(st.lists(scraps.filter(str.strip), min_size=1, max_size=5))
@settings(
    max_examples=count_cases(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_any_text_is_a_document(sources):
    sources = [source.replace("\0", "") or "x" for source in sources]
    files = {f"{number}.md": b"\xef\xbb\xbf" + source.encode() for number, source in enumerate(sources)}
    with ingested(files) as collection:
        for number, source in enumerate(sources):
            assert collection[str(number)].text == source
            check_document(collection[str(number)])


@pytest.mark.parametrize("piece", [">", "- ", "> - ", "1. "])
def test_very_deep_nesting_is_refused_with_its_line(piece):
    with pytest.raises(
        InputError, match=r"a\.md, line 2: nested too deeply: wanted blocks nested at most 100 deep"
    ):
        outline_markdown("text\n" + piece * 10_000 + "x", "a.md")
    outline_markdown(piece * 20 + "x", "a.md")


def test_a_very_long_line_is_read():
    source = "word " * 400_000
    with ingested({"a.md": source}) as collection:
        assert collection["a"].text == source
        assert slices(collection["a"], "p") == [source.rstrip()]


# Real documents


@pytest.fixture(scope="module")
def corpora(shared_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora") / "c"
    doxel.ingest(shared_data / "chunking-evaluation" / "corpora", folder)
    return doxel.read_collection(folder)


def test_real_texts_are_those_of_their_files(corpora, shared_data):
    for name in corpora:
        source = (shared_data / "chunking-evaluation" / "corpora" / f"{name}.md").read_bytes().decode()
        assert corpora[name].text == source
        check_document(corpora[name])


def test_gold_excerpts_are_slices_of_the_text(corpora, shared_data):
    questions = pl.read_csv(shared_data / "chunking-evaluation" / "questions_df.csv")
    texts = {name: corpora[name].text for name in corpora}
    is_equal = [
        texts[corpus][reference["start_index"] : reference["end_index"]] == reference["content"]
        for corpus, references in questions.select("corpus_id", "references").iter_rows()
        for reference in json.loads(references)
    ]
    assert len(is_equal) == 790  # the number given by the authors
    assert all(is_equal)


def test_the_missing_extra_for_markdown_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "markdown_it", None)
    write_files(tmp_path / "s", {"a.md": "text"})
    outcome = command("ingest", tmp_path / "s", "-o", tmp_path / "c")
    assert outcome.status == 2
    assert 'pip install "doxel[text]"' in outcome.err
