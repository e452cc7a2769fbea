"""How fast sparknb is beside something that does the same work, in one run."""
