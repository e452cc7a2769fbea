"""Puts the built JupyterLab extension into wheels and source distributions.

Installing needs no Node.js: what is built already is taken, nothing is built here.
Where nothing is built, it depends on who asks:

- A source distribution is made for a release, and so is a wheel made from one
  (`python -m build`): both end with an error.
- An editable installation, and a wheel straight from a checkout (`pip install .`,
  `pip install git+...`), go on without the extension and say so.
"""

import json
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILT = "sparknb/labextension"
# Where JupyterLab looks, below the environment that the wheel is installed into.
SHARED = "share/jupyter/labextensions/sparknb"
INSTALL = "install.json"  # says which package the extension came with


class LabextensionHook(BuildHookInterface[Any]):
    """Adds the extension to what is built, or says that it is missing."""

    PLUGIN_NAME = "custom"

    def initialize(
        self,
        version: str,  # noqa: ARG002  # the signature is hatchling's
        build_data: dict[str, Any],
    ) -> None:
        """Check the built extension and add it to a wheel.

        Raises:
            RuntimeError: A release is built without it.
        """
        problem = _problem(Path(self.root), self.metadata.version)
        if problem is not None:
            told = f"{problem}: build it with `make labextension` (needs Node.js)."
            if self._is_release():
                raise RuntimeError(told)
            self.app.display_warning(f"Without the JupyterLab extension. {told}")
        elif self.target_name == "wheel":
            build_data["shared_data"].update(_shared(Path(self.root)))

    def _is_release(self) -> bool:
        # PKG-INFO lies at the top of an unpacked source distribution, nowhere else.
        is_unpacked = Path(self.root, "PKG-INFO").exists()
        return self.target_name == "sdist" or is_unpacked


def _shared(root: Path) -> dict[str, str]:
    """Give what goes into the wheel, each with its place."""
    # Where `make labextension` has linked what is built, pip has put its own
    # install.json among it.
    names = sorted({each.name for each in (root / BUILT).iterdir()} - {INSTALL})
    built = {f"{BUILT}/{name}": f"{SHARED}/{name}" for name in names}
    return built | {f"labextension/{INSTALL}": f"{SHARED}/{INSTALL}"}


def _problem(root: Path, version: str) -> str | None:
    """Tell what is wrong with the built extension; None if nothing is."""
    built = root / BUILT
    try:
        package = json.loads((built / "package.json").read_text(encoding="utf-8"))
        entry = built / package["jupyterlab"]["_build"]["load"]
    except (OSError, ValueError, KeyError):
        return "The JupyterLab extension is not built"
    if not entry.is_file():
        return "The JupyterLab extension is built in part only"
    if package["version"] != version:
        return f"The JupyterLab extension is built for {package['version']}"
    return None
