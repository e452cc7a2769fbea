"""Programs that last until they are done or stopped, such as mcp and demo.

Only the command line can give them a process of their own, so it also supplies what
they do; here stands how they are called.
"""

from sparknb.commands.table import Argument, Command, Option, Values
from sparknb.core.errors import UsageError

__all__ = ["COMMANDS", "examples_port"]

COMMANDS = (
    Command(
        path=("mcp",),
        summary="Serve the enabled tools to MCP clients, over stdio or HTTP.",
        details=(
            "An MCP client starts this itself; --print-config gives the entry for its"
            " configuration. With --http it serves any number of clients until Ctrl-C."
            " Calls above risk read are asked through the client. With --manage its"
            " agent can write tools too; what changes what agents use asks you."
        ),
        group="Let agents use it",
        options=(
            Option(
                name="--manage",
                kind="flag",
                help="Serve the tools that write tools as well (custom_tools_*).",
            ),
            Option(
                name="--http",
                metavar="HOST:PORT",
                help="Listen there instead; beyond this machine only with"
                " SPARKNB_MCP_TOKEN.",
            ),
            Option(
                name="--print-config",
                kind="choice",
                choices=("claude", "cursor", "vscode"),
                help="Print the client's configuration entry, and end.",
            ),
        ),
        examples=(
            "sparknb mcp --print-config claude",
            "sparknb mcp --http 127.0.0.1:8765",
        ),
        run=None,
    ),
    Command(
        path=("demo",),
        summary="See the main job end to end, against a service it starts.",
        details=(
            "Defines two tools, checks, tests and publishes them, and calls them as an"
            " MCP client would; in a folder of its own, without network."
        ),
        group="Set up",
        run=None,
    ),
    Command(
        path=("lab",),
        summary="Open JupyterLab on your copy of the lessons.",
        details=(
            "The copy lies in your home. What you changed in it stays; a newer version"
            " of a lesson is put beside it. Ctrl-C ends."
        ),
        group="Notebooks",
        options=(
            Option(
                name="--no-browser",
                kind="flag",
                help="Only say the address, and leave opening it to you.",
            ),
        ),
        run=None,
    ),
    Command(
        path=("notebooks", "check"),
        summary="Run notebooks and compare outputs with the stored ones.",
        details=(
            "Each runs with a home of its own, secrets from variables"
            " SPARKNB_SECRET__..., and no network beyond this machine. A folder stands"
            " for all notebooks in it."
        ),
        group="Notebooks",
        arguments=(
            Argument(
                name="paths",
                kind="path",
                shown="PATH...",
                repeats=True,
                help="Notebooks, or folders with notebooks.",
            ),
        ),
        options=(
            Option(
                name="-n",
                kind="integer",
                metavar="N",
                minimum=1,
                help="Spread the notebooks over N processes; needs pytest-xdist.",
            ),
            Option(
                name="--timeout",
                kind="integer",
                metavar="SECONDS",
                minimum=1,
                help="Time limit of each cell; else 60.",
            ),
            Option(
                name="--junit",
                kind="path",
                metavar="FILE",
                help="Write a report as JUnit XML too.",
            ),
        ),
        examples=("sparknb notebooks check notebooks/ -n 2 --junit report.xml",),
        run=None,
    ),
    Command(
        path=("examples", "serve"),
        summary="Serve the example service on loopback until interrupted.",
        group="Set up",
        options=(
            Option(
                name="--port",
                kind="integer",
                metavar="N",
                minimum=0,
                help="Listen on this port; 0 takes a free one; else 8700.",
            ),
            Option(
                name="--lesson",
                kind="integer",
                metavar="N",
                minimum=1,
                help="Listen where lesson N looks for it: N ports above the first.",
            ),
        ),
        run=None,
    ),
)


def examples_port(values: Values) -> int:
    """Give the port that `examples serve` listens on.

    Raises:
        UsageError: It is named twice.
    """
    from sparknb.settings import load_settings

    port: int | None = values["port"]
    lesson: int | None = values["lesson"]
    if port is not None and lesson is not None:
        raise UsageError("--port and --lesson both name a port: leave one out")
    return load_settings().examples_port + (lesson or 0) if port is None else port
