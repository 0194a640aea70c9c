"""The endpoints of the server: one module per group of pages, each ending in its table of endpoints."""
