"""PDF files are read page by page; pages without text are reported, and other files are refused."""

import contextlib

import pytest

from documents.commands import doxel
from documents.small_pdf import IMAGE, build_pdf
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.documents.parsing.pdf import build_page_texts
from doxel.errors import InputError, MissingExtraError

pytest.importorskip("pypdfium2")

PAGES = [["Switch it off first.", "Then remove the lid."], ["The lid (60 °C) is hot."], [], ["Done."]]


@pytest.fixture
def collection(tmp_path):
    (tmp_path / "manual.pdf").write_bytes(build_pdf(PAGES))
    ingest(tmp_path / "manual.pdf", tmp_path / "c")
    return read_collection(tmp_path / "c")


def test_the_text_is_that_of_the_pages_with_form_feeds_between_them(collection):
    assert (
        collection.text(0) == "Switch it off first.\nThen remove the lid.\fThe lid (60 °C) is hot.\f\fDone."
    )
    assert collection.manifest.text_rule == "pdf-pages"


def test_every_page_is_an_element_with_the_number_of_the_page(collection):
    elements = collection["manual"].elements
    text = collection.text(0)
    assert elements["path"].to_list() == ["/document[1]", *(f"/document[1]/page[{n}]" for n in (1, 2, 3, 4))]
    pages = elements.filter(elements["path"].str.contains("page"))
    assert [text[start:end] for start, end in pages.select("start", "end").rows()] == [
        "\n".join(lines) for lines in PAGES
    ]


def test_pages_with_images_only_are_listed_and_blank_ones_are_not():
    texts, losses = build_page_texts(build_pdf([["Text."], IMAGE, [], IMAGE]), "a.pdf")
    assert texts == ["Text.", "", "", ""]
    assert losses == {"images or drawings only": [2, 4]}


def test_the_command_lists_pages_without_text_and_ends_with_status_1(tmp_path):
    (tmp_path / "a.pdf").write_bytes(build_pdf([["Text."], IMAGE, [], IMAGE]))
    outcome = doxel("ingest", tmp_path / "a.pdf", "-o", tmp_path / "c")
    assert outcome.status == 1
    assert "a.pdf: no text from 2 of 4 pages (images or drawings only: 2, 4)" in outcome.err
    assert "read as: 1 pdf" in outcome.err
    (tmp_path / "b.pdf").write_bytes(build_pdf(PAGES))
    assert doxel("ingest", tmp_path / "b.pdf", "-o", tmp_path / "d").status == 0


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"Dear reader,\nthis is a text.", r"not a PDF file: wanted .* %PDF-, found 'Dear reader,"),
        (b"", "not a PDF file"),
        (b"%PDF-1.4\nnothing else", "cannot be read: wanted a PDF file that is not damaged, found"),
        (build_pdf(PAGES, encrypted=True), "wanted a PDF file without a password, found one that needs"),
        (
            build_pdf([IMAGE, IMAGE]),
            r"no text in the PDF file: wanted .*\(OCR\) first, found 2 pages without",
        ),
        (build_pdf([[]]), "found 1 page without text"),
    ],
)
def test_unreadable_files_are_refused_with_a_sentence(tmp_path, data, sentence):
    (tmp_path / "a.pdf").write_bytes(data)
    report = ingest(tmp_path / "a.pdf", tmp_path / "c")
    (error,) = report.refused
    assert error.file.endswith("a.pdf")
    with pytest.raises(InputError, match=sentence):
        raise error


def test_a_single_file_with_another_suffix_is_recognised_by_its_content(tmp_path):
    (tmp_path / "manual").write_bytes(build_pdf(PAGES))
    assert ingest(tmp_path / "manual", tmp_path / "c").rules == {"pdf-pages": 1}


def test_a_cut_file_is_read_or_refused_but_never_crashes():
    data = build_pdf(PAGES)
    for size in range(0, len(data), 40):
        with contextlib.suppress(InputError):
            assert set(build_page_texts(data[:size], "a.pdf")[0]) <= {"\n".join(lines) for lines in PAGES}


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pypdfium2", None)
    with pytest.raises(MissingExtraError, match=r"doxel\[pdf\]"):
        build_page_texts(build_pdf(PAGES), "a.pdf")
