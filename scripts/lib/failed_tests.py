"""Prints the tests that failed in a JUnit file of ctest, each with the end of what it said.

Usage: failed_tests.py PRESET FILE
"""

import sys
import xml.etree.ElementTree as ElementTree

LINES = 60


def main():
    preset, path = sys.argv[1:]
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.get("status") != "fail":
            continue
        print(f"{preset}: {case.get('name')} ({float(case.get('time')):.1f} s)")
        said = (case.findtext("system-out") or "").strip().splitlines()
        for line in said[-LINES:]:
            print(f"    {line}")


if __name__ == "__main__":
    main()
