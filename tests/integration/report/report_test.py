"""Opens reports of sample runs in a headless Chromium and checks what they display."""

import json
import subprocess
import unittest

from report_case import LAYOUT_SHIFT, MAKE, ReportCase

# Counts the pixels along the middle of a lane that have the colors of bars.
COUNT_BAR_PIXELS = """
(() => {
  const {lanes} = report;
  const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const colour = (name) => {
    probe.fillStyle = themeColour(name);
    probe.fillRect(0, 0, 1, 1);
    return probe.getImageData(0, 0, 1, 1).data.slice(0, 3).join();
  };
  const bars = new Set(['planned', 'stolen', 'copy'].map(colour));
  const step = Math.max(1, Math.floor(lanes.workers.length / 40));
  const counts = [];
  for (let i = 0; i < lanes.workers.length; i += step) {
    lanes.box.scrollTop = (i - 2) * lanes.laneHeight;
    lanes.draw();
    const {y, height} = lanes.lane(i);
    const row = lanes.canvas.getContext('2d')
        .getImageData(0, Math.round((y + height / 2) * lanes.density), lanes.canvas.width, 1).data;
    let count = 0;
    for (let p = 0; p < row.length; p += 4) count += bars.has(row.slice(p, p + 3).join());
    counts.push(count);
  }
  lanes.box.scrollTop = 0;
  return counts;
})()"""

COUNT_CHART_COLOURS = """
[...document.querySelectorAll('.chart canvas')].map((canvas) => {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Set();
  for (let p = 0; p < data.length; p += 4) colours.add(data.slice(p, p + 4).join());
  return colours.size;
})"""



def number_and_tolerance(text):
    """The number shown, and half of its last digit."""
    digits = text.split()[0] if " " in text else text
    digits = digits.replace("\u202f", "")
    decimals = len(digits.split(".")[1]) if "." in digits else 0
    return float(digits), 0.5 * 10 ** -decimals + 1e-12


class ReportTest(ReportCase):
    def check_figures(self, page, summary):
        shown = page.evaluate("Object.fromEntries([...document.querySelectorAll('[data-figure]')]"
                              ".map((e) => [e.dataset.figure, e.textContent]))")
        want = {name: summary[name] for name in
                ("makespanSeconds", "lowerBoundSeconds", "loadImbalancePercent", "wastedSeconds",
                 "messages", "startupSeconds")}
        want["efficiency"] = 100 * summary["efficiency"]
        want["moves"] = summary["moves"]["reserved"] + summary["moves"]["leased"]
        self.assertEqual(set(shown), set(want))
        for name, value in want.items():
            number, tolerance = number_and_tolerance(shown[name])
            self.assertAlmostEqual(number, value, delta=tolerance, msg=name)

    def check_page(self, folder, workers, width, dark):
        page = self.open(folder, width, dark, touch=width < 600)
        self.check_clean(page, folder)  # before this test itself gives cause for warnings
        self.assertLess(page.evaluate(LAYOUT_SHIFT), 0.02)
        summary = json.loads((folder / "summary.json").read_text())
        self.check_figures(page, summary)
        self.assertEqual(page.evaluate("document.querySelector('#lanes canvas').dataset.lanes"), str(workers))
        self.assertGreater(min(page.evaluate(COUNT_BAR_PIXELS)), 50)
        self.assertGreater(min(page.evaluate(COUNT_CHART_COLOURS)), 5)
        self.assertEqual(page.evaluate("document.querySelectorAll('#nodes tbody tr').length"), workers)
        self.assertEqual(page.evaluate("document.querySelector('#result').innerText").split(),
                         ["count", "78498", "largest", "999983"])
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        brightness = sum(int(part) for part in background[4:-1].split(","))
        self.assertTrue(brightness < 200 if dark else brightness > 600, background)

    def test_shows_the_run_at_every_size_width_and_scheme(self):
        for workers, tasks, seconds in ((3, 2000, "0.3"), (50, 20000, "0.5"), (1000, 200000, "0.5")):
            folder = self.make(workers, tasks=tasks, seconds=seconds)
            for width in (1280, 400):
                for dark in (False, True):
                    with self.subTest(workers=workers, width=width, dark=dark):
                        self.check_page(folder, workers, width, dark)

    def test_pointing_at_a_bar_tells_worker_range_and_times(self):
        folder = self.make()
        stolen = [json.loads(line) for line in (folder / "timeline.jsonl").read_text().splitlines()
                  if '"stolen"' in line]
        page = self.open(folder)
        page.evaluate("document.querySelector('#lanes').scrollIntoView()")
        place = page.evaluate("""(() => {
          const bar = report.lanes.bars.find((b) => b.kind === 'stolen');
          const at = report.lanes.barBox(bar);
          const box = report.lanes.canvas.getBoundingClientRect();
          return {x: box.left + at.x + at.width / 2, y: box.top + at.y + at.height - 6, begin: bar.begin};
        })()""")
        page.mouse("mouseMoved", place["x"], place["y"])
        tip = page.evaluate("document.querySelector('#tip').innerText").replace("\u202f", "")
        first = next(line for line in stolen if line["range"][0] == place["begin"])
        self.assertIn(first["worker"], tip)
        self.assertIn(f"[{first['range'][0]}, ", tip)
        self.assertIn(f"{first['start']:.2f} s to ", tip)
        self.assertIn("stolen: ", tip)
        page.mouse("mouseMoved", 5, 5)
        self.assertTrue(page.evaluate("document.querySelector('#tip').hidden"))

    def test_zooms_with_buttons_and_keys(self):
        page = self.open(self.make())
        span = "report.lanes.to - report.lanes.from"
        whole = page.evaluate(span)
        page.evaluate("document.querySelector('[data-zoom=in]').click()")
        self.assertAlmostEqual(page.evaluate(span), whole / 2)
        page.evaluate("document.querySelector('#lanes canvas').focus()")
        start = page.evaluate("report.lanes.from")
        for kind in ("keyDown", "keyUp"):
            page.call("Input.dispatchKeyEvent", type=kind, key="ArrowRight")
        self.assertGreater(page.evaluate("report.lanes.from"), start)
        page.evaluate("document.querySelector('[data-zoom=all]').click()")
        self.assertAlmostEqual(page.evaluate(span), whole)

    def test_tapping_a_lane_explains_it_on_a_phone(self):
        page = self.open(self.make(), width=400, touch=True)
        page.evaluate("document.querySelector('#lanes').scrollIntoView()")
        point = page.evaluate("""(() => {
          const box = report.lanes.canvas.getBoundingClientRect();
          const {y, height} = report.lanes.lane(1);
          return {x: box.left + report.lanes.x(5), y: box.top + y + height / 2};
        })()""")
        page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[point])
        page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.assertIn("pi4-b", page.evaluate("document.querySelector('#tip').innerText"))

    def test_shows_stages_and_the_master(self):
        page = self.open(self.make(strategy="ModifiedMasterSlave"))
        titles = page.evaluate("report.lanes.marks.map((mark) => mark.title)")
        for stage in ("Stage 1", "Stage 2", "Stage 3"):
            self.assertIn(stage, titles)
        self.assertIn("master, not computing", page.evaluate("document.querySelector('#legend').innerText"))

    def test_takes_names_as_text(self):
        job = """</script><script>window.broken = 1</script><!--<b>&amp;"'"""
        folder = self.make(job=job)
        page = self.open(folder)
        self.assertEqual(page.evaluate("document.querySelector('#job').textContent"), job)
        self.assertEqual(page.evaluate("document.title"), job + " · Evenkeel")
        self.assertEqual(page.evaluate("typeof window.broken"), "undefined")
        self.check_clean(page, folder)

    def test_says_why_a_run_is_not_complete(self):
        folder = self.make()
        self.edit_summary(folder, state="Failed", reason="task 7 failed 4 times: <no> memory",
                          tasks={"total": 2000, "completed": 1990, "failed": 10}, failedIndexes="7,12-20",
                          lowerBoundSeconds=None, efficiency=None, result={})
        page = self.open(folder)
        reason = page.evaluate("document.querySelector('#reason').innerText")
        self.assertIn("task 7 failed 4 times: <no> memory", reason)
        self.assertIn("10 tasks failed: 7,12-20", reason)
        self.assertEqual(page.evaluate("document.querySelector('[data-figure=efficiency]').textContent"), "–")
        self.check_clean(page, folder)

    def test_draws_a_run_that_was_interrupted_before_anything_happened(self):
        folder = self.make()
        (folder / "timeline.jsonl").write_text("")
        self.edit_summary(folder, state="Interrupted", makespanSeconds=0, efficiency=0, nodes=[])
        self.check_clean(self.open(folder), folder)

    def test_prints_light_and_whole(self):
        page = self.open(self.make(50, tasks=20000), dark=True)
        page.call("Emulation.setEmulatedMedia", media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(page.evaluate("themeColour('card')"), "#ffffff")
        self.assertFalse(page.evaluate("report.lanes.overflows()"))
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        self.assertTrue(page.evaluate("report.lanes.overflows()"))

    def test_a_folder_without_a_run_is_refused_in_one_line(self):
        done = subprocess.run([MAKE, self.root.name], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("holds no summary.json", done.stderr)


if __name__ == "__main__":
    unittest.main()
