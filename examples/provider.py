"""doxel's measures in ir_measures; PyTerrier takes them in the same way.

In PyTerrier the frames have the columns qid, docno and label, and start and end beside them::

    pt.Experiment([run], topics, qrels, eval_metrics=[MAiP, char_rec @ 5, nxCG @ 10])
"""

import ir_measures
import pandas as pd

from doxel.ir_measures import MAiP, char_rec, nxCG

if __name__ == "__main__":
    columns = ["query_id", "doc_id", "start", "end"]
    qrels = pd.DataFrame([("1", "report", 100, 200), ("2", "notes", 0, 50)], columns=columns)
    qrels["relevance"] = 1
    run = pd.DataFrame(
        [("1", "report", 50, 150), ("1", "notes", 0, 90), ("2", "notes", 0, 40)], columns=columns
    )
    run["score"] = [3.0, 2.0, 1.0]
    scores = ir_measures.calc_aggregate([MAiP, char_rec @ 5, nxCG @ 10, ir_measures.RR], qrels, run)
    for name, score in sorted((str(measure), score) for measure, score in scores.items()):
        print(f"{name} {score:.4f}")
