"""Programs that last until they are done or stopped, such as mcp and demo."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from rich.text import Text

from sparknb.cli.lessons import check, lab
from sparknb.cli.output import Output
from sparknb.cli.terminal import is_terminal, notify
from sparknb.commands.programs import examples_port
from sparknb.commands.table import Values
from sparknb.core.errors import InvalidInputError, UsageError

if TYPE_CHECKING:
    from sparknb.examples import ExampleService
    from sparknb.mcp.endpoint import Endpoint

__all__ = ["PROGRAMS", "Program"]

_UNENCRYPTED = (
    "Other machines can reach it, and nothing is encrypted, the token neither:"
    " put a proxy with TLS in front of it."
)

Program = Callable[[Values, Output], int]
"""Takes the values of the command; gives the exit code."""


def _mcp(values: Values, output: Output) -> int:
    client, place, manage = values["print_config"], values["http"], values["manage"]
    if client is not None:
        return _print_config(client, place, output, manage=manage)
    if place is not None:
        from sparknb.mcp.endpoint import parse_endpoint

        endpoint = parse_endpoint(place)
        return asyncio.run(_serve_http(endpoint, output, manage=manage))
    if output.as_json:
        raise UsageError("sparknb mcp speaks MCP on standard output: leave out --json")
    return asyncio.run(_serve(output, manage=manage))


def _print_config(
    client: str, place: str | None, output: Output, *, manage: bool
) -> int:
    """Print the entry, which is JSON already, as the client's file wants it."""
    from sparknb.mcp.config import print_config, print_http_config
    from sparknb.mcp.endpoint import parse_endpoint
    from sparknb.settings import load_settings

    settings = load_settings()
    notify(output.errors, settings.notices)
    if place is None:
        print(print_config(client, settings, manage=manage))
    else:
        has_token = settings.mcp_token is not None
        print(print_http_config(client, parse_endpoint(place), has_token=has_token))
    return 0


async def _serve(output: Output, *, manage: bool) -> int:
    from sparknb.bootstrap import open_host
    from sparknb.mcp import serve_stdio

    host = await open_host()
    try:
        notify(output.errors, host.notices)
        if is_terminal(sys.stdin):
            said = "Waiting for an MCP client; Ctrl-C ends."
            output.errors.print(Text(said, style="dim"))
        output.errors.file.flush()
        return await serve_stdio(host, manage=manage)
    finally:
        await host.close()


async def _serve_http(endpoint: "Endpoint", output: Output, *, manage: bool) -> int:
    from sparknb.bootstrap import open_host
    from sparknb.mcp import serve_http

    def announce(endpoint: "Endpoint") -> None:
        if output.as_json:
            output.document({"url": endpoint.url})
        else:
            output.errors.print(Text(f"MCP is served at {endpoint.url}"))
        if not endpoint.is_local:
            output.errors.print(Text(_UNENCRYPTED, style="yellow"))
        output.errors.print(Text("Ctrl-C ends.", style="dim"))
        output.flush()

    host = await open_host()
    try:
        notify(output.errors, host.notices)
        return await serve_http(host, endpoint, announce=announce, manage=manage)
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

    def announce(service: "ExampleService") -> None:
        document = {"url": service.url, "apiKey": service.api_key}
        if output.as_json:
            output.document(document)
        else:
            print(f"The example service listens on {service.url}")
            print(f"Its API key is {service.api_key}; its description: /openapi.json")
            output.errors.print(Text("Ctrl-C stops it.", style="dim"))
        output.flush()

    port = examples_port(values)
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
    ("lab",): lab,
    ("notebooks", "check"): check,
}
