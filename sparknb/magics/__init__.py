"""The notebook's front door: `%load_ext sparknb`; IPython is imported only here.

Loading imports next to nothing: what a magic needs comes with its first use.
"""

from sparknb.magics.extension import load, unload

__all__ = ["load", "unload"]
