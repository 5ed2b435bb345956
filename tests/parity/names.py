"""Writes the public names of PyTriton, one per line: classes, functions, methods, fields, values,
parameters, commands.

Usage: names.py FILE

The names are read from the sources, so that their dependencies are not needed. A name is public if
it has no leading underscore and is defined in a documented module. A re-exported name has the name
of its package.
"""

import ast
import importlib.machinery
import pathlib
import sys

MODULES = [
    "pytriton.triton",
    "pytriton.decorators",
    "pytriton.model_config.tensor",
    "pytriton.model_config.common",
    "pytriton.model_config.model_config",
    "pytriton.proxy.types",
    "pytriton.exceptions",
    "pytriton.client.client",
    "pytriton.client.auth",
    "pytriton.client.exceptions",
    "pytriton.client.warnings",
]
PACKAGES = ["pytriton.model_config", "pytriton.client"]
COMMANDS = "pytriton.__main__"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def names(body, within):
    """Yields the names that a module or a class defines, with their parameters and fields."""
    for node in body:
        if isinstance(node, ast.ClassDef) and public(node.name):
            name = f"{within}.{node.name}"
            yield name
            yield from names(node.body, name)
            # The values of an enumeration.
            assigned = [target for each in node.body if isinstance(each, ast.Assign) for target in each.targets]
            yield from (f"{name}.{target.id}" for target in assigned if public(target.id))
        elif isinstance(node, FUNCTIONS) and node.name == "__init__":
            yield from parameters(node, within)
        elif isinstance(node, FUNCTIONS) and public(node.name):
            name = f"{within}.{node.name}"
            yield name
            yield from parameters(node, name)
        elif isinstance(node, ast.AnnAssign) and public(node.target.id):
            yield f"{within}.{node.target.id}"


def public(name):
    return not name.startswith("_")


def parameters(function, within):
    """Returns the parameters that callers pass, without those that a wrapper or a class adds."""
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    given += [each for each in (function.args.vararg, function.args.kwarg) if each]
    own = [each.arg for each in given]
    if own != ["wrapped", "instance", "args", "kwargs"]:
        yield from (f"{within}({name})" for name in own if name not in ("self", "cls") and public(name))


def commands(body):
    """Yields the commands of the program, which are decorated functions, and their options."""
    for node in body:
        called = [each for each in getattr(node, "decorator_list", []) if isinstance(each, ast.Call) and each.args]
        for name in [each.args[0].value for each in called]:
            yield f"{COMMANDS}.{name}"
            yield from parameters(node, f"{COMMANDS}.{name}")


def handed_on(source):
    """Yields the names that a package imports from its modules."""
    for package in PACKAGES:
        for node in source(package):
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                for alias in node.names:
                    yield f"{package}.{node.module}.{alias.name}", f"{package}.{alias.name}"


def main(file):
    (package,) = importlib.machinery.PathFinder.find_spec("pytriton").submodule_search_locations
    root = pathlib.Path(package).parent

    def source(module):
        path = root.joinpath(*module.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        return ast.parse(path.read_text(encoding="utf-8")).body

    found = [name for module in MODULES for name in names(source(module), module)]
    shorter = dict(handed_on(source))
    for at, name in enumerate(found):
        for long, short in shorter.items():
            if name == long or name.startswith((f"{long}.", f"{long}(")):
                found[at] = short + name.removeprefix(long)
    found += commands(source(COMMANDS))
    pathlib.Path(file).write_text("".join(f"{name}\n" for name in dict.fromkeys(found)), encoding="ascii")


if __name__ == "__main__":
    main(*sys.argv[1:])
