"""Small PDF files, written by hand: pages of text, images and nothing."""

IMAGE = object()  # a page with an image and no text

_IMAGE_CONTENT = b"q 100 0 0 100 50 500 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x00 EI Q"
_ENCRYPTION = b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + b"6f" * 32 + b"> /U <" + b"75" * 32 + b"> >>"


def build_pdf(pages, *, encrypted=False):
    """Return a PDF file; a page is a list of lines, ``IMAGE``, or an empty list for a blank page."""
    count = len(pages)
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in enumerate(pages):
        content = _IMAGE_CONTENT if page is IMAGE else _write_lines(page)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * number)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    if encrypted:
        objects.append(_ENCRYPTION)
    return _join_objects(objects, encrypted=encrypted)


def _write_lines(lines):
    operators = b" ".join(b"(%s) Tj T*" % _escape(line) for line in lines)
    return b"BT /F1 12 Tf 14 TL 50 780 Td %s ET" % operators if lines else b""


def _escape(line):
    data = line.encode("cp1252")
    for character in (b"\\", b"(", b")"):
        data = data.replace(character, b"\\" + character)
    return data


def _join_objects(objects, *, encrypted):
    data = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    protection = b"/Encrypt %d 0 R /ID [<00> <00>] " % len(objects) if encrypted else b""
    size = len(objects) + 1
    trailer = (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n"
    )
    return data + trailer % (size, table, size, protection, len(data))
