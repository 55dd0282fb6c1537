"""The charts that a workload hands over, in a report: drawn, picked, read; at every size and scheme."""

import json
import subprocess
import unittest

from report_case import LAYOUT_SHIFT, MAKE, ReportCase

ALGORITHMS = ("LQF", "RR", "ERR", "FBRR", "EELQF", "ELQF", "FBLQF", "RAND")

# How many different colours each chart has, and how many pixels are not of its background.
PAINT = """
report.resultCharts.shown.map(({canvas}) => {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Set();
  for (let p = 0; p < data.length; p += 4) if (data[p + 3] === 255) colours.add(data.slice(p, p + 3).join());
  return colours.size;
})"""
COLOURS_OF_SERIES = "report.resultCharts.shown[0].drawn.data.datasets.map((d) => d.borderColor)"
NAMES_OF_SERIES = "report.resultCharts.shown[0].drawn.data.datasets.map((d) => d.label)"
FIRST_VALUES = "report.resultCharts.shown[0].drawn.data.datasets[0].data.map(({y}) => y)"
HEIGHTS = "[...document.querySelectorAll('.result-chart')].map((f) => f.getBoundingClientRect().height)"


def axis(title, logarithmic=False):
    return {"title": title, "logarithmic": logarithmic}


def chart(title="Loss by load", views=("1", "2", "4"), series=ALGORITHMS, points=32, joined=True, **more):
    return {"title": title, "caption": "How much is lost.", "viewTitle": "Cells a buffer", "shownView": 1,
            "x": axis("load"), "y": axis("lost, %"),
            "views": [{"name": name,
                       "series": [{"name": each, "joined": joined,
                                   "points": [[(n + 1) / points, n * (v + 1) + i] for n in range(points)]}
                                  for i, each in enumerate(series)]}
                      for v, name in enumerate(views)], **more}


class ResultChartsTest(ReportCase):
    def with_charts(self, *charts):
        folder = self.make()
        (folder / "charts.json").write_text(json.dumps(charts))
        self.make_again(folder)
        return folder

    def test_shown_at_every_width_and_scheme(self):
        sweep = [chart(f"Chart {i}", views=[str(2 ** v) for v in range(12)],
                       y=axis("slots", logarithmic=i % 2 == 1)) for i in range(5)]
        folder = self.with_charts(*sweep)
        self.assertLess((folder / "report.html").stat().st_size, 1_500_000)
        for width in (1280, 400):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    page = self.open(folder, width, dark, touch=width < 600)
                    self.check_clean(page, folder)
                    self.assertLess(page.evaluate(LAYOUT_SHIFT), 0.02)
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                    self.assertEqual(len(page.evaluate(HEIGHTS)), 5)
                    self.assertGreater(min(page.evaluate(HEIGHTS)), 300)
                    self.assertGreaterEqual(min(page.evaluate(PAINT)), 8)
                    self.assertEqual(page.evaluate(NAMES_OF_SERIES), list(ALGORITHMS))
                    self.assertEqual(len(set(page.evaluate(COLOURS_OF_SERIES))), 8)

    def test_colours_follow_the_scheme(self):
        folder = self.with_charts(chart())
        light = self.open(folder).evaluate(COLOURS_OF_SERIES)
        dark = self.open(folder, dark=True).evaluate(COLOURS_OF_SERIES)
        self.assertFalse(set(light) & set(dark))

    def test_another_view_is_picked(self):
        page = self.open(self.with_charts(chart()))
        select = "document.querySelector('.result-chart select')"
        self.assertEqual(page.evaluate(select + ".selectedOptions[0].text"), "2")
        self.assertEqual(page.evaluate(FIRST_VALUES)[1], 2)
        page.evaluate(f"{select}.value = 2, {select}.dispatchEvent(new Event('change'))")
        self.assertEqual(page.evaluate(FIRST_VALUES)[1], 3)
        self.assertIn("Cells a buffer", page.evaluate("document.querySelector('.result-chart').innerText"))

    def test_one_view_leaves_nothing_to_pick(self):
        page = self.open(self.with_charts(chart(views=["all"], shownView=7)))
        self.assertIsNone(page.evaluate("document.querySelector('.result-chart select')"))
        self.assertEqual(len(page.evaluate(NAMES_OF_SERIES)), 8)

    def test_points_that_are_not_joined_and_values_that_a_logarithm_has_not(self):
        cloud = chart("Pareto", views=["all"], joined=False, y=axis("watts", logarithmic=True))
        folder = self.with_charts(cloud)
        page = self.open(folder)
        self.check_clean(page, folder)
        self.assertEqual(page.evaluate(FIRST_VALUES)[0], 1)  # not 0
        self.assertEqual(page.evaluate("report.resultCharts.shown[0].drawn.data.datasets[0].showLine"), False)

    def test_a_line_among_points(self):
        both = chart("Pareto", views=["all"], joined=False)
        both["views"][0]["series"][1]["joined"] = True
        folder = self.with_charts(both)
        page = self.open(folder)
        self.check_clean(page, folder)
        shown = "report.resultCharts.shown[0].drawn.data.datasets.slice(0, 3).map((d) => d.showLine)"
        self.assertEqual(page.evaluate(shown), [False, True, False])

    def test_large_charts_are_cut_to_the_bounds(self):
        views = [str(v) for v in range(40)]
        large = chart(views=views, series=[f"s{n}" for n in range(30)], points=600)
        page = self.open(self.with_charts(large))
        self.assertEqual(page.evaluate("document.querySelectorAll('.result-chart option').length"), 16)
        self.assertEqual(len(page.evaluate(NAMES_OF_SERIES)), 12)
        values = page.evaluate(FIRST_VALUES)
        self.assertLessEqual(len(values), 256)
        self.assertEqual(values[-1], 2 * 599)

    def test_names_are_text(self):
        evil = """</script><script>window.broken = 1</script><!--<b>&amp;"'"""
        folder = self.with_charts(chart(evil, views=[evil, "b"], caption=evil, viewTitle=evil))
        page = self.open(folder)
        self.assertEqual(page.evaluate("document.querySelector('.result-chart h2').textContent"), evil)
        self.assertEqual(page.evaluate("typeof window.broken"), "undefined")
        self.check_clean(page, folder)

    def test_a_run_without_charts_has_no_place_for_them(self):
        page = self.open(self.make())
        self.assertTrue(page.evaluate("document.querySelector('#result-charts').hidden"))
        self.assertEqual(page.evaluate("getComputedStyle(document.querySelector('#result-charts')).display"),
                         "none")

    def test_charts_that_are_none_are_refused_in_one_line(self):
        for charts, complaint in (({}, "is not a JSON list"),
                                  ([chart(views=[1])], "charts[0].views[0].name: text expected"),
                                  ([chart(x=axis("a", 1))], "charts[0].x.logarithmic: true or false expected")):
            folder = self.make()
            (folder / "charts.json").write_text(json.dumps(charts))
            done = subprocess.run([MAKE, str(folder)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr, f"evenkeel: {folder}/charts.json: {complaint}\n")


if __name__ == "__main__":
    unittest.main()
