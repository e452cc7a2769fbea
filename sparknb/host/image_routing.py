"""Which vision tool answers when a model without eyes is given images (ST-46)."""

import logging

from sparknb.core.definitions import VisionSpec
from sparknb.core.errors import RegistryUnavailableError
from sparknb.core.protocols import Registry, SurfaceRow
from sparknb.host.catalog import Catalog

__all__ = ["ImageRouting"]

_log = logging.getLogger("sparknb.host")


class ImageRouting:
    """Chooses one tool, always the same for the same registry."""

    def __init__(self, registry: Registry, catalog: Catalog) -> None:
        self._registry = registry
        self._catalog = catalog

    def choose(self) -> str | None:
        """Give the id of the tool to ask, None where none offers itself.

        Of the published and enabled ones with `autoRoute.enabled` the one of the
        highest priority; of equals the first by id.
        """
        offers = []
        for row in self._registry.surface():
            if row.type != "provider-vision":
                continue
            spec = self._spec(row)
            if spec is not None and spec.auto_route:
                offers.append((-spec.priority, row.id))
        return min(offers)[1] if offers else None

    def _spec(self, row: SurfaceRow) -> VisionSpec | None:
        """Give what a tool says; a damaged one must not take the others with it."""
        try:
            spec = self._catalog.definition(row.version()).spec
        except RegistryUnavailableError as error:
            _log.warning("%s takes no images: %s", row.id, error.message)
            return None
        return spec if isinstance(spec, VisionSpec) else None
