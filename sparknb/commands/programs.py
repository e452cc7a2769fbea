"""mcp, demo, examples serve: programs that last until they are done or stopped.

Only the command line can give them a process of their own, so it also supplies what
they do; here stands how they are called.
"""

from sparknb.commands.table import Command, Option

__all__ = ["COMMANDS"]

COMMANDS = (
    Command(
        path=("mcp",),
        summary="Serve the enabled tools to MCP clients, over stdio or HTTP.",
        details=(
            "An MCP client starts this itself; --print-config gives the entry for its"
            " configuration. With --http it serves any number of clients until Ctrl-C."
            " Calls above risk read are asked through the client."
        ),
        group="Let agents use it",
        options=(
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
        ),
        run=None,
    ),
)
