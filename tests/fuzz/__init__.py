"""Files that are nearly right, and what must hold of every reader of them."""
