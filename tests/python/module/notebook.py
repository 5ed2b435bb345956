"""Runs a notebook; the output of each cell must match the notebook."""

import sys

import nbclient
import nbformat

path = sys.argv[1]
shown = nbformat.read(path, as_version=4)
notebook = nbformat.read(path, as_version=4)
nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()


def printed(cell):
    # Log lines contain times.
    outputs = [output for output in cell.get("outputs", []) if output.get("name") != "stderr"]
    return "".join(output.get("text", "") for output in outputs)


for before, after in zip(shown.cells, notebook.cells, strict=True):
    assert printed(after) == printed(before), f"{before.source}\nprinted\n{printed(after)}"
