"""The bundled handbook as Markdown, its highlights as spans, and a run of chunks, in any shape."""

import json
from importlib.resources import files

import doxel

__all__ = ["MEASURES", "Campaign", "score"]

MEASURES = ["char_rec@5", "char_prec@5", "char_iou@5", "span_rec@5", "iP@0.1", "nxCG@5"]


class Campaign:
    """Texts, gold as tuples, and a run as (topic, doc, start, end, rank), each text at one place only."""

    def __init__(self):
        data = files("doxel") / "data" / "demo"
        folder = data / "handbook-markdown"
        self.texts = {path.name[:-3]: path.read_text("utf-8") for path in sorted(folder.iterdir(), key=str)}
        rows = [
            json.loads(line) for line in (data / "handbook-markdown.jsonl").read_text("utf-8").splitlines()
        ]
        self.gold = [(row["topic"], row["doc"], row["start"], row["end"]) for row in rows if "start" in row]
        self.run = self._retrieve()

    def _retrieve(self):
        every_text = "\0".join(self.texts.values())
        ranks, run = {}, []
        for number, (topic, doc, start, _) in enumerate(self.gold):
            text = self.texts[doc]
            for begin in (
                max(0, start - 31 * (number % 5)),
                (start + 1931 * number) % max(1, len(text) - 300),
            ):
                chunk = text[begin : begin + 120 + 17 * (number % 30)].strip()
                if chunk and every_text.count(chunk) == 1:
                    ranks[topic] = ranks.get(topic, 0) + 1
                    place = text.index(chunk)
                    run.append((topic, doc, place, place + len(chunk), ranks[topic]))
        return run

    def rows(self):
        return [
            {
                "topic": topic,
                "doc": doc,
                "start": start,
                "end": end,
                "text": self.texts[doc][start:end],
                "rank": rank,
            }
            for topic, doc, start, end, rank in self.run
        ]

    def by_topic(self, convert):
        lists = {}
        for row in self.rows():
            lists.setdefault(row["topic"], []).append(convert(row))
        return lists

    def topics(self):
        return list(dict.fromkeys(topic for topic, *_ in self.gold))


def score(run, campaign, *, collection=True, gold=None):
    """Return the scores of a run by topic and measure."""
    texts = campaign.texts if collection is True else collection
    result = doxel.evaluate(run, campaign.gold if gold is None else gold, MEASURES, collection=texts)
    return result.scores.sort("topic", "measure")["score"].to_list()
