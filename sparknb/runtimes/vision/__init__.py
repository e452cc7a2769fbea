"""Questions about images, asked of a provider (ST-44 to ST-46)."""

from sparknb.runtimes.vision.chat import ChatClient
from sparknb.runtimes.vision.runtime import VisionRuntime

__all__ = ["ChatClient", "VisionRuntime"]
