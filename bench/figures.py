"""Measured figures and their budgets: a table for people, JSON for programs."""

import dataclasses
import json
import statistics


@dataclasses.dataclass
class Figure:
    """A line of the table. The value is the median of the samples."""

    name: str
    unit: str
    samples: list
    must: float = None  # None: no budget
    aim: float = None
    more_is_better: bool = True
    note: str = ""
    digits: int = 3

    @property
    def value(self):
        return statistics.median(self.samples)

    @property
    def spread(self):
        """Smallest and largest sample."""
        return min(self.samples), max(self.samples)

    def reaches(self, budget):
        return self.value >= budget if self.more_is_better else self.value <= budget

    @property
    def verdict(self):
        if self.must is None:
            return ""
        if not self.reaches(self.must):
            return "MISSED"
        return "aim" if self.aim is not None and self.reaches(self.aim) else "must"

    def as_json(self):
        low, high = self.spread
        return {"name": self.name, "unit": self.unit, "value": self.value, "low": low, "high": high,
                "samples": self.samples, "must": self.must, "aim": self.aim,
                "moreIsBetter": self.more_is_better, "digits": self.digits, "verdict": self.verdict,
                "note": self.note}


def write_json(file, figures, **facts):
    """Writes figures, and facts about how they were measured, into a file."""
    document = {**facts, "figures": [figure.as_json() for figure in figures]}
    file.write_text(json.dumps(document, indent=1) + "\n")


def shown(number, digits):
    return "" if number is None else f"{number:,.{digits}f}"


def table(figures):
    """All figures as lines of text."""
    rows = [("figure", "value", "lowest", "highest", "must", "aim", "unit", "reached")]
    for figure in figures:
        low, high = figure.spread
        numbers = (figure.value, low, high, figure.must, figure.aim)
        cells = [shown(number, figure.digits) for number in numbers]
        rows.append((figure.name, *cells, figure.unit, figure.verdict))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row, figure in zip(rows, [None, *figures]):
        left = row[0].ljust(widths[0])
        middle = "  ".join(cell.rjust(width) for cell, width in zip(row[1:6], widths[1:6]))
        line = f"{left}  {middle}  {row[6].ljust(widths[6])}  {row[7]}".rstrip()
        lines.append(line)
        if figure is not None and figure.note:
            lines.append(f"    {figure.note}")
    return "\n".join(lines)
