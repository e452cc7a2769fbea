"""The first steps of the README, as a newcomer takes them."""

import re
import socket
from pathlib import Path

from tests.magics.notebooks import execute, notebook

README = Path(__file__).parents[2] / "README.md"


def test_the_cells_of_the_readme_lead_to_a_published_tool(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    cells = re.findall(r"^```ipython\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    here = [cell.replace("8700", str(port)) for cell in cells]
    first, tool, test, publish, call = here
    assert publish == "%spark publish city_weather\n"
    ran = execute(
        notebook(first, tool, test, f"{publish.strip()} --yes", call), tmp_path
    )
    shown = [
        "".join(output.get("data", {}).get("text/plain", "") for output in c.outputs)
        for c in ran.cells
    ]
    assert "draft version 1" in shown[2]
    assert '"city": "Oslo"' in shown[3]
    assert "version 1 is published" in shown[4]
    assert '"city": "Lima"' in shown[5]
