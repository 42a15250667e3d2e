"""Runs all tests and prints one line for each: the same text every time, whatever the machine and the hour."""

import pathlib
import sys
import unittest

# A compiled file from a moment ago may hide a change made within the same second.
sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


class Lines(unittest.TestResult):
    """Prints each test as it ends."""

    def _name(self, test):
        return test.id().removeprefix("tests.")

    def addSuccess(self, test):
        print(f"ok      {self._name(test)}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        print(f"FAILED  {self._name(test)}: {err[1]}")

    def addError(self, test, err):
        super().addError(test, err)
        print(f"FAILED  {self._name(test)}: {err[0].__name__}: {err[1]}")


def main():
    result = Lines()
    suite = unittest.TestLoader().discover(str(HERE / "tests"), top_level_dir=str(HERE))
    suite.run(result)
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad} of {result.testsRun} tests passed")
    return 1 if bad or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
