"""Results in notebooks: tables, pictures and differences of runs, as HTML and PNG.

The way: an ``Evaluation`` calls *result_html* for its table of means, *result_plots* for pictures, and
*topic_differences* for the questions that a run gained or lost against another one.

Notebooks have light and dark themes that a page cannot ask for: everything here inherits the colour of the
text, and backgrounds are translucent.  All text from runs, documents and topics is escaped.
"""
