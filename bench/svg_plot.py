"""Line and dot plots as SVG: no library, light and dark, text that stays text."""

import dataclasses
import html
import math

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 74, 34, 76, 56

# The colours of report.css, light and dark.
STYLE = """
svg { background: #ffffff; font: 13px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
text { fill: #566273; } .title { fill: #18202a; font-weight: 650; font-size: 15px; }
.name { fill: #18202a; } .grid { stroke: #dde2e8; } .frame { stroke: #8793a3; fill: none; }
.s0 { stroke: #0f6aa8; fill: #0f6aa8; } .s1 { stroke: #c8500a; fill: #c8500a; }
.s2 { stroke: #00795b; fill: #00795b; } .s3 { stroke: #a8418a; fill: #a8418a; }
.line { fill: none; stroke-width: 2; } .dashed { stroke-dasharray: 6 4; }
@media (prefers-color-scheme: dark) {
  svg { background: #1a2027; } text { fill: #9daabb; } .title, .name { fill: #e8edf3; }
  .grid { stroke: #2e3742; } .frame { stroke: #7b8896; }
  .s0 { stroke: #5cb0ea; fill: #5cb0ea; } .s1 { stroke: #ff8f55; fill: #ff8f55; }
  .s2 { stroke: #3cc79c; fill: #3cc79c; } .s3 { stroke: #e08cc5; fill: #e08cc5; }
}
"""


@dataclasses.dataclass
class Series:
    """Points are (x, y), or (x, y, low, high) with the range of what was measured."""

    name: str
    points: list
    joined: bool = True
    dots: bool = True
    dashed: bool = False
    labels: dict = dataclasses.field(default_factory=dict)  # number of a point -> text beside it


@dataclasses.dataclass
class Axis:
    title: str
    low: float
    high: float
    logarithmic: bool = False

    def place(self, value):
        """0 at the low end, 1 at the high one."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self):
        if self.logarithmic:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            steps = (1, 2, 5) if last - first < 2 else (1,)
            found = [step * 10.0 ** power for power in range(first - 1, last + 1) for step in steps]
            return [value for value in found if self.low * 0.999 <= value <= self.high * 1.001]
        rough = (self.high - self.low) / 6
        power = 10 ** math.floor(math.log10(rough))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
        first = math.ceil(self.low / step - 1e-9)
        return [step * k for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


def shown(value):
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:g}"


class Plot:
    def __init__(self, title, x, y):
        self.title, self.x, self.y = title, x, y
        self.parts = []

    def at(self, x, y):
        return (LEFT + self.x.place(x) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - self.y.place(y) * (HEIGHT - TOP - BOTTOM))

    def text(self, x, y, words, anchor="start", kind="", more=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}"{more}>'
                          f"{html.escape(words)}</text>")

    def line(self, x1, y1, x2, y2, kind):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')

    def axes(self):
        bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
        for value in self.x.ticks():
            x, _ = self.at(value, self.y.low)
            self.line(x, TOP, x, bottom, "grid")
            self.text(x, bottom + 18, shown(value), "middle")
        for value in self.y.ticks():
            _, y = self.at(self.x.low, value)
            self.line(LEFT, y, right, y, "grid")
            self.text(LEFT - 8, y + 4, shown(value), "end")
        self.parts.append(f'<rect x="{LEFT}" y="{TOP}" width="{right - LEFT}" height="{bottom - TOP}" class="frame"/>')
        self.text((LEFT + right) / 2, HEIGHT - 14, self.x.title, "middle")
        middle = (TOP + bottom) / 2
        self.text(18, middle, self.y.title, "middle", more=f' transform="rotate(-90 18 {middle:.1f})"')

    def series(self, number, series):
        colour = f"s{number % 4}"
        places = [self.at(point[0], point[1]) for point in series.points]
        if series.joined:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            dashed = " dashed" if series.dashed else ""
            self.parts.append(f'<polyline points="{path}" class="{colour} line{dashed}" style="fill:none"/>')
        for i, ((x, y), point) in enumerate(zip(places, series.points)):
            if len(point) == 4:
                self.line(x, self.at(point[0], point[2])[1], x, self.at(point[0], point[3])[1], colour)
            if series.dots:
                self.mark(number, x, y)
            if i in series.labels:
                self.text(x + 8, y - 7, series.labels[i])

    def mark(self, number, x, y):
        """Each series has a shape of its own, as a second sign beside its colour."""
        colour = f"s{number % 4}"
        if number % 2 == 0:
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" class="{colour}"/>')
        else:
            self.parts.append(f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" class="{colour}"/>')

    def legend(self, all_series):
        x = LEFT
        for number, series in enumerate(all_series):
            if series.joined:
                dashed = " dashed" if series.dashed else ""
                self.line(x, 52, x + 24, 52, f"s{number % 4} line{dashed}")
            if series.dots:
                self.mark(number, x + 12, 52)
            self.text(x + 30, 56, series.name, kind="name")
            x += 46 + 7.2 * len(series.name)

    def svg(self, all_series):
        self.parts = []
        self.text(LEFT, 28, self.title, kind="title")
        self.axes()
        for number, series in enumerate(all_series):
            self.series(number, series)
        self.legend(all_series)
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
                f'height="{HEIGHT}" role="img" aria-label="{html.escape(self.title)}">')
        return "\n".join([head, f"<style>{STYLE}</style>", *self.parts, "</svg>", ""])
