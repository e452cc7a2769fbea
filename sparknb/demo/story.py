"""The demo itself: an author, a service, an agent.

Every sentence with a check mark was checked on what really came back.
"""

import asyncio
import shutil
import tempfile
import time
from pathlib import Path
from typing import TextIO

from sparknb.bootstrap import open_host
from sparknb.core.errors import SparknbError
from sparknb.demo import agent, author
from sparknb.demo.account import Account
from sparknb.demo.stage import DemoError, Stage
from sparknb.examples import serve_examples
from sparknb.mcp.config import command
from sparknb.settings import load_settings

__all__ = ["tell"]

_SECONDS = 55.0


def tell(out: TextIO) -> int:
    """Run the demo; give the exit code."""
    account = Account(out)
    began = time.monotonic()
    try:
        asyncio.run(_bounded(account))
    except DemoError as error:
        account.failure(str(error))
        return 1
    except TimeoutError:
        account.failure(f"it took longer than {_SECONDS:g} s")
        return 1
    except (SparknbError, OSError) as error:
        account.failure(f"{type(error).__name__}: {error}")
        return 1
    _close(account, time.monotonic() - began)
    return 0


async def _bounded(account: Account) -> None:
    account.title(
        "sparknb: from a definition to a tool that an agent calls",
        "In a home folder of its own, removed at the end. No network, no keychain.",
    )
    async with asyncio.timeout(_SECONDS):
        with tempfile.TemporaryDirectory(prefix="sparknb-demo-") as folder:
            await _play(account, Path(folder))


async def _play(account: Account, folder: Path) -> None:
    account.step("A web service to make tools for")
    with serve_examples() as service:
        account.done("The example service answers: cities, weather, a map shop.")
        environment = {
            "SPARKNB_HOME": str(folder / "home"),
            "SPARKNB_KEYCHAIN": "env",
            "SPARKNB_SECRET__ORDER_ITEM__API_KEY": service.api_key,
        }
        host = await open_host(environment=environment)
        try:
            stage = Stage(account, service, host, folder / "home", environment)
            await author.write(stage)
            await author.refuse(stage)
            await author.try_out(stage)
            await author.publish(stage)
            await author.compose(stage)
            await agent.use(stage, folder / "stderr.txt")
            await author.look_back(stage)
        finally:
            await host.close()


def _close(account: Account, seconds: float) -> None:
    program = _program()
    account.end(
        f"All of it happened, in {seconds:.1f} s. What to do next:",
        [
            ("make lab", "JupyterLab, where `import sparknb` works"),
            (f"{program} --help", "all commands; `doctor` checks this machine"),
            (
                f"{program} mcp --print-config claude",
                "connect an agent (or cursor, vscode)",
            ),
            ("README.md", "“Your first tool, in two minutes”"),
        ],
    )
    account.say(_own_place(program), "dim")


def _own_place(program: str) -> str:
    """Give where the person's own tools are kept; the demo used a home of its own."""
    try:
        home = load_settings().home
    except SparknbError as error:
        return (
            f"Your own settings are refused: {error.message}. See `{program} doctor`."
        )
    return f"Your own tools will live in {home}."


def _program() -> str:
    """Give the words that start sparknb in this folder."""
    if shutil.which("sparknb"):
        return "sparknb"
    program, *arguments = command()
    path, here = Path(program), Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return " ".join((str(shown), *arguments))
