"""The handbook as Markdown: the same words in the same order, with the same highlights."""

import re
from collections import Counter

import numpy as np
import pytest
from tools.demo_data.handbook_markdown import article_as_markdown, write_handbook_markdown

import doxel
from doxel.errors import InputError

ARTICLE = """<article id="a"><!-- about -->
  <head><title>On *stars*</title><summary>Short &amp; good.</summary>
  <keywords><keyword>one</keyword> <keyword>two</keyword></keywords></head>
  <body><section id="s"><title>First</title>
    <p>Some <em>text</em> with <link ref="b">a <code>x_y|z</code></link>,
       x<sub>1</sub> &lt; 2.</p>
    <list type="number"><item>one</item><item>two</item></list>
    <list type="bullet"><item><p>long</p></item>
      <item>with <list type="bullet"><item>in</item></list></item></list>
    <table><caption>C</caption><row><hcell>a</hcell><hcell>b</hcell></row>
      <row><cell>1 | 2</cell><cell/></row></table>
    <formula>f = a_b * c</formula>
    <section><title>Deeper</title><note>Mind <em>this</em>.</note>
      <quote><p>Said.</p><source>someone</source></quote>
      <example><title>E</title><p>- not a list</p></example></section>
  </section></body>
  <back><references><reference id="r">Ref. <em>T</em>.</reference></references></back>
</article>"""

MARKDOWN = """# On \\*stars\\*

Short & good.

Keywords: one, two

## First

Some *text* with [a `x_y|z`](b.md), x<sub>1</sub> \\< 2.

1. one
2. two

- long

- with

  - in

**Table.** C

| a | b |
| --- | --- |
| 1 \\| 2 |  |

```text
f = a_b * c
```

### Deeper

> **Note.** Mind *this*.

> Said.
>
> — someone

**Example.** E

\\- not a list

## References

- Ref. *T*.
"""


def test_an_article_with_every_element_becomes_markdown():
    assert article_as_markdown(ARTICLE.encode(), "a.xml").text == MARKDOWN


def test_an_element_without_a_form_is_rejected():
    with pytest.raises(InputError, match=r"a\.xml, line 2: article: wanted an element .*, found video"):
        article_as_markdown(b"<article>\n<video/></article>", "a.xml")


def test_a_span_of_white_space_is_rejected():
    with pytest.raises(InputError, match="contains more than white space"):
        article_as_markdown(ARTICLE.encode(), "a.xml").span(0, 2)


@pytest.fixture(scope="module")
def collections(demo, tmp_path_factory):
    folder = tmp_path_factory.mktemp("markdown") / "c"
    report = doxel.ingest(demo.markdown, folder)
    assert not report.refused
    return doxel.read_collection(demo.collection), doxel.read_collection(folder)


def test_all_characters_but_white_space_keep_their_order(demo, collections, tmp_path):
    xml, markdown = collections
    assert sorted(xml) == sorted(markdown)
    articles = write_handbook_markdown(demo.handbook, tmp_path / "again")
    for doc, article in articles.items():
        text = xml[doc].text
        places = article.places
        assert len(places) == len(text)
        assert markdown[doc].text == article.text  # written twice, the same
        visible = np.flatnonzero(places >= 0)
        assert (np.diff(places[visible]) > 0).all()
        assert [text[at] for at in visible] == [article.text[at] for at in places[visible]]
        assert "".join(text[at] for at in visible) == "".join(text.split())


def test_blocks_are_read_back_as_the_same_kinds(collections):
    xml, markdown = collections
    for doc in xml:
        before = Counter(xml[doc].elements["tag"])
        after = Counter(markdown[doc].elements["tag"])
        assert after["table"] == before["table"]
        assert after["tr"] == before["row"]
        assert after["li"] == before["item"] + before["reference"]
        assert after["pre"] == before["formula"] + before["figure-text"]
        assert after["blockquote"] == before["note"] + before["quote"]
        headings = sum(count for tag, count in after.items() if re.fullmatch("h[1-6]", tag))
        assert headings == after["section"] == before["section"] + 1 + before["references"]


def test_highlights_are_the_same_words(demo, collections):
    xml, markdown = collections
    before = doxel.read_assessments(demo.assessments["qrels"])
    after = doxel.read_assessments(demo.markdown_gold)
    assert after.judged.height == before.judged.height
    assert after.highlights.height == before.highlights.height > 50
    pairs = [frame.highlights.sort("topic", "doc", "start").to_dicts() for frame in (before, after)]
    for old, new in zip(*pairs, strict=True):
        assert (old["topic"], old["doc"]) == (new["topic"], new["doc"])
        letters = re.findall("[a-z]", xml[old["doc"]].text[old["start"] : old["end"]])
        passage = markdown[new["doc"]].text[new["start"] : new["end"]]
        plain = re.sub(r"\]\([\w-]+\.md\)|</?su[bp]>|```text|\*\*(Table|Note|Example)\.\*\*", "", passage)
        assert re.findall("[a-z]", plain) == letters
