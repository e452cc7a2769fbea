"""mcp, demo, examples serve: programs that last until they are done or stopped."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from rich.text import Text

from sparknb.cli.output import Output
from sparknb.cli.terminal import is_terminal, notify
from sparknb.commands.table import Values
from sparknb.core.errors import InvalidInputError, UsageError

if TYPE_CHECKING:
    from sparknb.examples import ExampleService

__all__ = ["PROGRAMS", "Program"]

Program = Callable[[Values, Output], int]
"""Takes the values of the command; gives the exit code."""


def _mcp(values: Values, output: Output) -> int:
    client = values["print_config"]
    if client is not None:
        return _print_config(client, output)
    if output.as_json:
        raise UsageError("sparknb mcp speaks MCP on standard output: leave out --json")
    return asyncio.run(_serve(output))


def _print_config(client: str, output: Output) -> int:
    """Print the entry, which is JSON already, as the client's file wants it."""
    from sparknb.mcp.config import print_config
    from sparknb.settings import load_settings

    settings = load_settings()
    notify(output.errors, settings.notices)
    print(print_config(client, settings))
    return 0


async def _serve(output: Output) -> int:
    from sparknb.bootstrap import open_host
    from sparknb.mcp import serve_stdio

    host = await open_host()
    try:
        notify(output.errors, host.notices)
        if is_terminal(sys.stdin):
            said = "Waiting for an MCP client; Ctrl-C ends."
            output.errors.print(Text(said, style="dim"))
        output.errors.file.flush()
        return await serve_stdio(host)
    finally:
        await host.close()


def _demo(values: Values, output: Output) -> int:
    del values
    from sparknb.demo import run_demo

    code = run_demo(sys.stderr if output.as_json else sys.stdout)
    if output.as_json:
        output.document({"ok": code == 0})
    return code


def _examples(values: Values, output: Output) -> int:
    from sparknb.examples import ExampleServiceError, run_examples
    from sparknb.settings import load_settings

    def announce(service: "ExampleService") -> None:
        document = {"url": service.url, "apiKey": service.api_key}
        if output.as_json:
            output.document(document)
        else:
            print(f"The example service listens on {service.url}")
            print(f"Its API key is {service.api_key}; its description: /openapi.json")
            output.errors.print(Text("Ctrl-C stops it.", style="dim"))
        output.flush()

    given: int | None = values["port"]
    port = load_settings().examples_port if given is None else given
    try:
        run_examples(port, announce=announce)
    except ExampleServiceError as error:
        raise InvalidInputError(
            error.message, path="--port", hint="--port 0 takes a free one"
        ) from None
    return 0


PROGRAMS: Mapping[tuple[str, ...], Program] = {
    ("mcp",): _mcp,
    ("demo",): _demo,
    ("examples", "serve"): _examples,
}
