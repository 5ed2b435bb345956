"""The committed type stub is that of the module, and the wheel contains it."""

import os
import pathlib
import sys

import linear

committed = pathlib.Path(sys.argv[1])
if os.environ.get("UPDATE"):
    committed.write_text(linear.__pyi__)
assert committed.read_text() == linear.__pyi__, "run the command of docs/python.md, chapter Types"
package = pathlib.Path(linear.__file__).parent
assert (package / "__init__.pyi").read_text() == linear.__pyi__, "the wheel is older than the stub"
assert (package / "py.typed").exists()
