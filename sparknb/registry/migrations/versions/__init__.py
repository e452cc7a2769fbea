"""One file for each step, in the order of `REVISIONS`."""
