"""Imports PyTriton's modules without the dependencies of its clients and servers, which are not
installed here.
"""

import importlib.machinery
import sys
import types

_package = types.ModuleType("pytriton")
_package.__path__ = list(importlib.machinery.PathFinder.find_spec("pytriton").submodule_search_locations)
sys.modules["pytriton"] = _package
