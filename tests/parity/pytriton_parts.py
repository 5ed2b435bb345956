"""PyTriton's modules without what its package imports for clients and servers, none of which is installed here."""

import importlib.machinery
import sys
import types

_package = types.ModuleType("pytriton")
_package.__path__ = list(importlib.machinery.PathFinder.find_spec("pytriton").submodule_search_locations)
sys.modules["pytriton"] = _package
