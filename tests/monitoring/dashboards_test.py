"""The dashboards and alerts are what they should be, as far as that can be seen without Prometheus."""

import re
import unittest

import dashboards

KINDS = {"row", "stat", "gauge", "timeseries", "bargauge", "state-timeline"}  # part of every Grafana
TARGET_LABELS = {"namespace", "weighted_job", "job", "instance", "pod", "endpoint"}  # of the scrape
ALERTS = {"EvenkeelJobStalled", "EvenkeelNodeSlowerThanItsWeight", "EvenkeelStealsFailing",
          "EvenkeelCoordinatorDown", "EvenkeelResultsVolumeFilling", "EvenkeelOperatorNotLeading",
          "EvenkeelHistoryStale"}
SELECTOR = re.compile(r"([a-z_:]+)\{([^{}]*)\}")
MATCHER = re.compile(r'(\w+)\s*[=!]~?\s*"')


def wrong_selectors(expression, known):
    """Yields labels of selectors that the selected series does not have."""
    for name, matchers in SELECTOR.findall(expression):
        for label in set(MATCHER.findall(matchers)) - known.get(name, set()) - TARGET_LABELS:
            yield f"{name} has no label {label}"


class Boards(unittest.TestCase):
    boards = {name: dashboards.load(name) for name in dashboards.NAMES}

    def test_they_can_be_told_apart_and_linked(self):
        for name, board in self.boards.items():
            self.assertEqual((board["uid"], board["id"]), (f"evenkeel-{name}", None))
            self.assertIn("evenkeel", board["tags"])
            self.assertNotIn("__inputs", board)
            self.assertNotIn("__requires", board)

    def test_variables(self):
        for name, board in self.boards.items():
            found = [variable["name"] for variable in board["templating"]["list"]]
            self.assertEqual(found, ["datasource", "namespace", "job"], name)
            self.assertEqual(board["templating"]["list"][0]["query"], "prometheus")

    def test_panels_stand_side_by_side(self):
        for name, board in self.boards.items():
            taken = set()
            ids = [panel["id"] for panel in board["panels"]]
            self.assertEqual(len(set(ids)), len(ids), name)
            for panel in board["panels"]:
                place = panel["gridPos"]
                self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
                cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                         for y in range(place["y"], place["y"] + place["h"])}
                self.assertFalse(taken & cells, f"{name}: {panel['title']} lies upon another")
                taken |= cells

    def test_panels_say_what_they_show(self):
        for name, board in self.boards.items():
            for panel in dashboards.panels(board):
                with self.subTest(board=name, panel=panel["title"]):
                    self.assertIn(panel["type"], KINDS)
                    self.assertTrue(panel["description"])
                    defaults = panel["fieldConfig"]["defaults"]
                    self.assertTrue(defaults["unit"])
                    self.assertTrue(defaults["thresholds"]["steps"])
                    self.assertEqual(panel["datasource"]["uid"], "${datasource}")
                    for target in panel["targets"]:
                        self.assertEqual(target["datasource"], panel["datasource"])
                        if panel["type"] not in ("stat", "gauge"):
                            self.assertTrue(target["legendFormat"])

    def test_they_ask_for_what_is_in_the_catalogue(self):
        known = dashboards.catalogue()
        for name, board in self.boards.items():
            asked = [*dashboards.queries(board),
                     *((f"${name}", selector) for name, selector, _ in dashboards.variables(board))]
            for title, expression in asked:
                with self.subTest(board=name, panel=title):
                    self.assertTrue(dashboards.metrics_in(expression))
                    self.assertFalse(dashboards.metrics_in(expression) - set(known))
                    self.assertEqual(list(wrong_selectors(expression, known)), [])

    def test_every_metric_of_ours_is_shown(self):
        shown = {metric for board in self.boards.values() for _, expression in dashboards.queries(board)
                 for metric in dashboards.metrics_in(expression)}
        unseen = {name for name in dashboards.catalogue()
                  if name.startswith("evenkeel_") and not name.endswith(("_sum", "_count"))}
        self.assertEqual(unseen - shown, set())


class Rules(unittest.TestCase):
    def test_each_alert_is_there_with_its_page(self):
        self.assertEqual({rule["alert"] for rule in dashboards.rules()}, ALERTS)
        for rule in dashboards.rules():
            page = rule["annotations"]["runbook_url"]
            self.assertTrue(page.startswith(dashboards.RUNBOOKS))
            text = (dashboards.ROOT / page).read_text(encoding="utf-8")
            self.assertTrue(text.startswith(f"# {rule['alert']}\n"), page)
            for part in ("## What it means", "## What to do"):
                self.assertIn(part, text, page)
            self.assertIn(rule["labels"]["severity"], ("info", "warning", "critical"))
            self.assertIn("summary", rule["annotations"])
            self.assertIn("description", rule["annotations"])

    def test_no_page_is_left_over(self):
        pages = {f"{dashboards.RUNBOOKS}{path.name}"
                 for path in (dashboards.ROOT / dashboards.RUNBOOKS).glob("*.md")}
        self.assertEqual(pages, {rule["annotations"]["runbook_url"] for rule in dashboards.rules()})

    def test_they_ask_for_what_is_in_the_catalogue(self):
        known = dashboards.catalogue()
        for rule in dashboards.rules():
            with self.subTest(rule["alert"]):
                self.assertTrue(dashboards.metrics_in(rule["expr"]))
                self.assertFalse(dashboards.metrics_in(rule["expr"]) - set(known))
                self.assertEqual(list(wrong_selectors(rule["expr"], known)), [])


class Reading(unittest.TestCase):
    def test_names_are_found(self):
        for expression, names in (
                ("sum by (node) (rate(a_total{b=\"c_d{\"}[5m])) / on (node) group_left () e", {"a_total", "e"}),
                ("histogram_quantile(0.5, sum by (le) (x_bucket)) > 2 or vector(0)", {"x_bucket"}),
                ("max_over_time(y[1h]) and on () z offset 30m unless bool_thing == 1", {"y", "z", "bool_thing"})):
            self.assertEqual(dashboards.metrics_in(expression), names)

    def test_a_label_that_is_not_there_is_noticed(self):
        found = list(wrong_selectors('evenkeel_jobs{stat="x", namespace=~"y"}', dashboards.catalogue()))
        self.assertEqual(found, ["evenkeel_jobs has no label stat"])


if __name__ == "__main__":
    unittest.main()
