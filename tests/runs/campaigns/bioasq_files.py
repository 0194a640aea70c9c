"""Small files in the shape of BioASQ's."""

import json

URL = "http://www.ncbi.nlm.nih.gov/pubmed/"

__all__ = ["URL", "encode", "question", "snippet"]


def snippet(document, start, end, section="abstract", last=None, **more):
    return {
        "document": f"{URL}{document}",
        "beginSection": section,
        "endSection": last or section,
        "offsetInBeginSection": start,
        "offsetInEndSection": end,
        "text": "x" * (end - start),
        **more,
    }


def question(name, *snippets, documents=(), **more):
    urls = [f"{URL}{document}" for document in documents]
    return {"id": name, "body": f"Question {name}?", "documents": urls, "snippets": list(snippets), **more}


def encode(*questions):
    return json.dumps({"questions": list(questions)}, indent=1).encode()
