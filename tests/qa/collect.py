"""Runs test cases of one file and writes the outcome of each:
`collect.py RESULTS FILE [CLASS.TEST...]`
"""

import json
import os
import runpy
import sys
import types
import unittest


class Outcomes(unittest.TextTestResult):
    """Records the outcome of each test."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.outcomes = {}

    def note(self, test, outcome, reason=""):
        # Subtests and errors of a class are unnamed.
        name = ".".join(getattr(test, "test_case", test).id().split(".")[1:]) or str(test)
        if self.outcomes.get(name, ["passed"])[0] == "passed":
            self.outcomes[name] = [outcome, reason]

    def addSuccess(self, test):
        super().addSuccess(test)
        self.note(test, "passed")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.note(test, "failed", str(error[1]))

    def addError(self, test, error):
        super().addError(test, error)
        self.note(test, "failed", f"{error[0].__name__}: {error[1]}")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note(test, "skipped", reason)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.note(test, "failed", str(error[1]))


def main():
    results, path, *names = sys.argv[1:]
    sys.path.insert(0, os.getcwd())
    sys.argv = [path]
    # The files prepare their classes where they would start the tests.
    main, unittest.main = unittest.main, lambda *arguments, **options: None
    module = types.ModuleType("__main__")
    module.__dict__.update(runpy.run_path(path, run_name="__main__"))
    unittest.main = main
    loader = unittest.defaultTestLoader
    tests = loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)
    runner = unittest.TextTestRunner(verbosity=2, resultclass=Outcomes)
    outcome = runner.run(tests)
    with open(results, "w", encoding="utf-8") as file:
        json.dump(outcome.outcomes, file)


if __name__ == "__main__":
    main()
