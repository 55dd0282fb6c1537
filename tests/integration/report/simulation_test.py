"""The page of `evenkeel simulate --html` in a headless Chromium, as a reader would see it."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from browser_case import BrowserCase

EVENKEEL = os.environ["EVENKEEL"]

SMALL = """
name: small
description: Three nodes of which one is slow.
tasks: {count: 60, seconds: {uniform: [0.2, 1]}}
nodes:
- {name: pi4-a, speed: 4, joins: 0.4}
- {name: pi4-b, speed: 4, faults: [{kind: Dies, at: 2, for: 0.5}]}
- {name: pi3, speed: 1}
weights: Equal
strategies: [TailStealing, ModifiedMasterSlave, STATIC]
"""
LARGE = """
name: large
tasks: {count: 20000, seconds: {uniform: [0.5, 1.5]}}
nodes: [{name: node, count: 1000, speed: {uniform: [1, 5]}}]
weights: Equal
strategies: [TailStealing, STATIC]
"""

# Pixels in the colours of bars along the middle of some lanes of each panel that is in sight.
BAR_PIXELS = """
(() => {
  const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const colour = (name) => {
    probe.fillStyle = themeColour(name);
    probe.fillRect(0, 0, 1, 1);
    return probe.getImageData(0, 0, 1, 1).data.slice(0, 3);
  };
  const bars = ['planned', 'stolen', 'copy'].map(colour);  // those of stages are a little darker
  const near = (one, other) => one.every((part, i) => Math.abs(part - other[i]) < 30);
  return simulation.inputs().map(({lanes}) => lanes.visibleLanes().slice(1, 3).reduce((sum, i) => {
    const {y, height} = lanes.lane(i);
    const row = lanes.canvas.getContext('2d')
        .getImageData(0, Math.round((y + height / 2) * lanes.density), lanes.canvas.width, 1).data;
    for (let p = 0; p < row.length; p += 4) {
      const pixel = row.slice(p, p + 3);
      sum += bars.some((bar) => near(bar, pixel));
    }
    return sum;
  }, 0));
})()"""


class SimulationTest(BrowserCase):
    def make(self, scenarios, *more):
        """Returns (path of the page, output of -o json)."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.root.name))
        files = []
        for number, scenario in enumerate(scenarios):
            files.append(folder / f"{number}.yaml")
            files[-1].write_text(scenario)
        done = subprocess.run([EVENKEEL, "simulate", *files, "--html", folder / "page.html", "-o", "json", *more],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder / "page.html", json.loads(done.stdout)

    def open(self, path, width=1280, dark=False):
        page = self.browser.page(width, 900, dark, width < 600)
        page.open(path.as_uri())
        self.addCleanup(page.__exit__)
        return page

    def check_clean(self, page, path):
        self.assertEqual(page.problems, [])
        self.assertEqual(page.requests, [path.as_uri()])

    def rows(self, page):
        return page.evaluate("[...document.querySelectorAll('#nodes tbody tr')]"
                             ".map((row) => [...row.cells].map((cell) => cell.textContent))")

    def check_page(self, path, said, width, dark):
        page = self.open(path, width, dark)
        self.check_clean(page, path)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
        self.assertGreater(min(page.evaluate(BAR_PIXELS)), 50)
        axes = page.evaluate("simulation.inputs().map(({lanes}) => [lanes.from, lanes.to, lanes.left])")
        self.assertEqual(len(axes), len(said["summaries"]))
        self.assertEqual(len(set(map(tuple, axes))), 1, axes)
        best = min(said["summaries"], key=lambda row: row["makespanOverBound"]["median"])
        rows = self.rows(page)
        self.assertEqual(len(rows), len(said["summaries"]))
        self.assertEqual(rows[0][0], best["strategy"])
        self.assertEqual(rows[0][2], f"{best['makespanOverBound']['median']:.4f}")
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        brightness = sum(int(part) for part in background[4:-1].split(","))
        self.assertTrue(brightness < 200 if dark else brightness > 600, background)

    def test_shows_all_strategies_on_one_axis_at_every_size_width_and_scheme(self):
        for scenario in (SMALL, LARGE):
            path, said = self.make([scenario])
            for width in (1280, 400):
                for dark in (False, True):
                    with self.subTest(scenario=scenario[:12], width=width, dark=dark):
                        self.check_page(path, said, width, dark)

    def test_marks_moves_stages_losses_and_joins(self):
        path, _ = self.make([SMALL])
        page = self.open(path)
        titles = page.evaluate("simulation.inputs().map(({lanes}) => lanes.marks.map(({title}) => title).join('; '))")
        named = dict(zip(page.evaluate("[...document.querySelectorAll('.panel b')].map((b) => b.textContent)"), titles))
        self.assertIn("moved", named["TailStealing"])
        self.assertIn("Stage 1", named["ModifiedMasterSlave"])
        self.assertIn("pi4-b", named["STATIC"])
        legend = page.evaluate("document.querySelector('#legend').innerText")
        for words in ("stolen", "master, not computing", "node joined"):
            self.assertIn(words, legend)

    def test_zooms_all_lanes_together_and_scrolls_them_together(self):
        path, _ = self.make([LARGE])
        page = self.open(path)
        spans = "simulation.inputs().map(({lanes}) => lanes.to - lanes.from)"
        whole = page.evaluate(spans)
        page.evaluate("document.querySelector('[data-zoom=in]').click()")
        for before, after in zip(whole, page.evaluate(spans)):
            self.assertAlmostEqual(after, before / 2)
        page.evaluate("new Promise((done) => { simulation.inputs()[0].lanes.box.scrollTop = 500; setTimeout(done, 200); })")
        self.assertEqual(page.evaluate("simulation.inputs().map(({lanes}) => lanes.box.scrollTop)"), [500, 500])

    def test_shows_the_best_first_and_others_when_they_are_picked(self):
        path, said = self.make([SMALL], "--strategy", "all")
        page = self.open(path)
        count = "document.querySelectorAll('#panels .panel').length"
        self.assertEqual(page.evaluate(count), 5)
        page.evaluate("[...document.querySelectorAll('#pick input')].at(-1).click()")
        self.assertEqual(page.evaluate(count), 6)
        page.evaluate("[...document.querySelectorAll('#pick input')][0].click()")
        self.assertEqual(page.evaluate(count), 5)
        page.evaluate("[...document.querySelectorAll('#nodes th button')].find((b) => b.textContent.startsWith('Messages')).click()")
        fewest = min(said["summaries"], key=lambda row: row["messages"]["median"])
        self.assertEqual(self.rows(page)[0][0], fewest["strategy"])
        self.check_clean(page, path)

    def test_several_seeds_give_medians_and_the_lanes_of_the_first(self):
        path, said = self.make([SMALL], "--seeds", "4..12")
        page = self.open(path)
        self.assertIn("9 seeds", page.evaluate("document.querySelector('#results-hint').textContent"))
        self.assertIn("of seed 4", page.evaluate("document.querySelector('#results-hint').textContent"))
        self.assertIn(" to ", self.rows(page)[0][3])
        first = {run["strategy"]: run["makespanSeconds"] for run in said["runs"] if run["seed"] == 4}
        shown = page.evaluate("simulation.inputs().map(({lanes}) => lanes.summary.makespanSeconds)")
        self.assertEqual(sorted(shown), sorted(first.values()))

    def test_several_scenarios_are_shown_one_at_a_time(self):
        path, _ = self.make([SMALL, LARGE])
        page = self.open(path)
        self.assertEqual(page.evaluate("document.querySelector('#name').textContent"), "small")
        page.evaluate("(() => { const s = document.querySelector('#scenario'); s.value = 1; s.dispatchEvent(new Event('change')); })()")
        self.assertEqual(page.evaluate("document.querySelector('#name').textContent"), "large")
        self.assertFalse(page.evaluate("document.querySelector('#choice').hidden"))
        self.assertEqual(page.evaluate("simulation.inputs()[0].lanes.order.length"), 1000)
        self.check_clean(page, path)

    def test_prints_light_and_whole(self):
        path, _ = self.make([LARGE.replace("count: 1000", "count: 100")])
        page = self.open(path, dark=True)
        overflows = "simulation.inputs().map(({lanes}) => lanes.overflows())"
        self.assertEqual(page.evaluate(overflows), [True, True])
        page.call("Emulation.setEmulatedMedia", media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(page.evaluate("themeColour('card')"), "#ffffff")
        self.assertEqual(page.evaluate(overflows), [False, False])
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(page.evaluate(overflows), [True, True])

    def test_takes_names_as_text(self):
        name = """</script><script>window.broken = 1</script><b>&"'"""
        path, _ = self.make([SMALL.replace("name: small", "name: " + json.dumps(name), 1)])
        page = self.open(path)
        self.assertEqual(page.evaluate("document.querySelector('#name').textContent"), name)
        self.assertEqual(page.evaluate("typeof window.broken"), "undefined")
        self.check_clean(page, path)


if __name__ == "__main__":
    unittest.main()
