#!/usr/bin/env python3
"""A command that runs a range of items, reports each and stops early when asked.

Usage: range-python.py FIRST LAST"""
import os
import select
import sys

item, last = int(sys.argv[1]), int(sys.argv[2])
progress, control = (int(os.environ[name]) for name in ("EVENKEEL_PROGRESS", "EVENKEEL_CONTROL"))
while item <= last:
    print("item", item)  # the work
    os.write(progress, b"done %d\n" % item)
    if select.select([control], [], [], 0)[0]:
        for line in os.read(control, 4096).splitlines():
            last = int(line.split()[1])
    item += 1
