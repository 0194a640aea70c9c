r"""PDF documents, by the rule ``pdf-pages``: the texts of the pages, separated by form feeds.

A page's text is what PDFium extracts, with line ends as ``\n``.  Elements are ``document`` and the pages in
it (``/document[1]/page[3]``); pages have no elements inside, because a PDF file does not distinguish
paragraphs from lines.  Offsets within a page count from the start of its element.

Pages without text, such as scanned ones, are empty elements, so that page numbers stay correct.  They
are reported, unless they are blank; a document without any text is refused.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from doxel.documents.parsing.node_columns import NodeColumns, OutlineBuilder, SourceKind
from doxel.errors import InputError, MissingExtraError
from doxel.wording import join_words, pluralise, quote_value

__all__ = ["PDF", "PDF_MARK", "build_page_texts"]

PDF_MARK = b"%PDF-"
_HEAD = 1024  # bytes at the beginning in which readers accept the mark
_PASSWORD_ERROR = 4  # PDFium's code
_PAGE_BREAK = "\f"
_LINE_END = re.compile(r"\r\n?")
_HYPHEN = re.compile("[\x02\ufffe]")  # written by PDFium for a hyphen at the end of a line
_NO_TEXT = re.compile("[\x00\f\ud800-\udfff\uffff]")

_IMAGES_ONLY = "images or drawings only"
_UNREADABLE = "cannot be read"


def _read_pdf(columns: NodeColumns, data: bytes, name: str) -> bytes:
    texts, losses = build_page_texts(data, name)
    lost = [page for pages in losses.values() for page in pages]
    if not any(text.strip() for text in texts):
        raise InputError(
            "no text in the PDF file",
            file=name,
            wanted="a page with text; scanned pages need text recognition (OCR) first",
            found=f"{pluralise(len(texts), 'page')} without text",
        )
    outline = OutlineBuilder(name)
    outline.open("document", 0)
    offset = 0
    for text in texts:
        outline.open("page", offset)
        outline.close(offset + len(text))
        offset += len(text) + len(_PAGE_BREAK)
    outline.close(max(offset - len(_PAGE_BREAK), 0))
    outline.add_to(columns)
    if lost:
        reasons = "; ".join(f"{reason}: {join_words(pages, 20)}" for reason, pages in losses.items())
        columns.losses.append(
            f"{name}: no text from {len(lost):,} of {pluralise(len(texts), 'page')} ({reasons})"
        )
    return _PAGE_BREAK.join(texts).encode()


def build_page_texts(data: bytes, name: str) -> tuple[list[str], dict[str, list[int]]]:
    """Return the text of each page of a PDF file, and the numbers of pages without text, by the reason."""
    if PDF_MARK not in data[:_HEAD]:
        head = quote_value(data[:40].decode("utf-8", "replace"), 40)
        raise InputError("not a PDF file", file=name, wanted="a file that begins with %PDF-", found=head)
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtraError("reading PDF", "pdf") from None
    losses: defaultdict[str, list[int]] = defaultdict(list)
    texts: list[str] = []
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        needs_password = error.err_code == _PASSWORD_ERROR
        raise InputError(
            "cannot be read",
            file=name,
            wanted="a PDF file without a password" if needs_password else "a PDF file that is not damaged",
            found="one that needs a password" if needs_password else str(error),
        ) from None
    with document:
        for number in range(1, len(document) + 1):
            try:
                text, is_blank = _read_page(document[number - 1])
            except pypdfium2.PdfiumError:
                text, is_blank = "", False
                losses[_UNREADABLE].append(number)
            else:
                if not text.strip() and not is_blank:
                    losses[_IMAGES_ONLY].append(number)
            texts.append(text)
    return texts, dict(losses)


def _read_page(page: Any) -> tuple[str, bool]:
    """Return the text of a page, and whether the page is otherwise empty."""
    textpage = page.get_textpage()
    text = _clean(textpage.get_text_bounded())
    textpage.close()
    is_blank = not text.strip() and next(iter(page.get_objects()), None) is None
    page.close()
    return text, is_blank


def _clean(text: str) -> str:
    r"""Return the text of a page with usual line ends and hyphens.

    >>> _clean("re\x02\r\nsult\x00")
    're-\nsult'
    """
    return _NO_TEXT.sub("", _HYPHEN.sub("-", _LINE_END.sub("\n", text)))


PDF = SourceKind(
    "pdf", rule="pdf-pages", suffixes=(".pdf",), open=lambda _declared: _read_pdf, in_lines=False
)
