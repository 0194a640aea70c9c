"""Makes the documentation: from Markdown, docstrings, declarations and the handbook to HTML pages."""
