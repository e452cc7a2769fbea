"""The command line: parse, run the command, print its outcome."""

import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the command line of this process and end it with the exit code."""
    try:
        # imported here, so that an early Ctrl-C ends quietly too
        from sparknb.cli.running import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)
