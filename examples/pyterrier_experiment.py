"""An experiment of PyTerrier with doxel's measures: whole documents and passages in one table.

PyTerrier needs no Java for this: the runs are frames.
"""

import pandas as pd
import pyterrier as pt

from doxel.ir_measures import MAiP, char_rec

if __name__ == "__main__":
    topics = pd.DataFrame([("1", "who was hurt"), ("2", "what to do")], columns=["qid", "query"])
    columns = ["qid", "docno", "start", "end"]
    qrels = pd.DataFrame([("1", "report", 100, 200), ("2", "notes", 0, 50)], columns=columns).assign(label=1)
    passages = [("1", "report", 50, 150), ("1", "notes", 0, 90), ("2", "notes", 0, 40)]
    documents = [("1", "report", 0, 1000), ("1", "notes", 0, 500), ("2", "notes", 0, 500)]
    runs = [
        pd.DataFrame(rows, columns=columns).assign(score=[3.0, 2.0, 1.0]) for rows in (passages, documents)
    ]
    table = pt.Experiment(
        runs, topics, qrels, eval_metrics=[MAiP, char_rec @ 1], names=["passages", "documents"]
    )
    print(table[["name", "MAiP", "char_rec@1"]].round(4).to_string(index=False))
