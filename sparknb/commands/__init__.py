"""The one command table: what both the command line and `%spark` understand."""
