#!/usr/bin/env python3
"""Draws the regret of each draw of a tournament over its tasks per node. Usage: tournament_plot.py DRAWS SVG"""

import json
import pathlib
import random
import sys

from svg_plot import Axis, Plot, Series

LARGEST = 20   # percent; larger regrets are drawn there
SMALLEST = -20


def points(draws, weights, chance):
    """Draws with the same number of tasks per node are spread around it."""
    return [(float(draw["dimensions"]["tasks per node"]) * chance.uniform(0.8, 1.25),
             min(max(100 * draw["regret"], SMALLEST), LARGEST))
            for draw in draws if draw["dimensions"]["weights"] == weights]


def main(file, svg):
    draws = json.loads(pathlib.Path(file).read_text())
    chance = random.Random(1)
    plot = Plot(f"Regret against the best rival, {len(draws):,} draws",
                Axis("tasks per node", 2, 320, logarithmic=True), Axis("regret, %", SMALLEST, LARGEST))
    series = [Series(f"weights: {weights.lower()}", points(draws, weights, chance), joined=False)
              for weights in ("Speeds", "Equal", "Inverse")]
    pathlib.Path(svg).write_text(plot.svg([one for one in series if one.points]))


if __name__ == "__main__":
    main(*sys.argv[1:])
