"""Imports a module whose models have conflicting names in Python."""

import sys

place, told = sys.argv[1:]
sys.path.insert(0, place)
try:
    import test_module
except ImportError as error:
    assert str(error) == told, error
else:
    raise AssertionError(f"it is imported: {dir(test_module)}")
