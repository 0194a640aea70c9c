"""Label paths of a part are merged once, however many threads ask: one run is read, another scored."""

import threading
from concurrent.futures import ThreadPoolExecutor

import polars as pl

from doxel.documents.labels import LabelTable

PART = pl.DataFrame(
    {"parent": [-1, 0, 1], "name": ["article", "body", "p"], "namespace": [None, None, None]},
    schema={"parent": pl.Int64, "name": pl.String, "namespace": pl.String},
)


def test_a_part_that_two_threads_ask_for_at_once_is_read_once():
    table, reads, second_asks = LabelTable(), [], threading.Event()

    def read():
        reads.append(threading.get_ident())
        second_asks.wait(0.2)  # long enough for the other thread to come in, if anything lets it
        return PART

    def ask():
        if reads:
            second_asks.set()
        return table.map(0, read).tolist()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(ask)
        while not reads:
            pass
        second = pool.submit(ask)
        assert first.result() == second.result() == [0, 1, 2]
    assert len(reads) == 1
    assert table.labels().paths == ("/article", "/article/body", "/article/body/p")
