"""`python -m sparknb` is the command line."""

from sparknb.cli import main

if __name__ == "__main__":
    main()
