"""Reports: tables, curves, pictures and pages of results; only their layout is computed here.

How data flows through this room:

1. *Scores* become text in :mod:`~doxel.reports.score_tables`: tsv, csv, json, LaTeX, trec, or rows for a
   terminal.
2. *Findings* (:mod:`doxel.evaluation`) become one JSON object in :mod:`~doxel.reports.report_data`,
   :mod:`~doxel.reports.report_page` renders it as HTML, and :mod:`~doxel.reports.report_folder` writes the
   page, its data and its curves.
3. *Curves* become :mod:`~doxel.reports.picture_data`, drawn by :mod:`~doxel.reports.matplotlib_pictures` or
   :mod:`~doxel.reports.gnuplot_pictures`, and are written by :mod:`~doxel.reports.curve_files`.
4. *Studies* become pages in :mod:`~doxel.reports.study_pages`, with the pictures of
   :mod:`~doxel.reports.study_pictures`; results of ``doxel evalj`` are written by
   :mod:`~doxel.reports.evalj_files`.

All files are named and written by :mod:`~doxel.reports.output_files`.
"""
