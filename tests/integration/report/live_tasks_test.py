"""Live page and report of jobs with needs, costs, ranges, failures and tasks that run alone."""

import unittest

from live_case import LiveCase

ALL = "needs costs ranges failures alone"
# [[name, text of the note, lines below it]]
ROWS = """
[...document.querySelectorAll('#tasks dt')].map((name) => {
  const cell = name.nextElementSibling;
  return [name.textContent, cell.firstChild.textContent, [...cell.querySelectorAll('p')].map((p) => p.textContent)];
})"""
HEAD = "[...document.querySelectorAll('#nodes th')].map((c) => c.innerText)"
OWN_COLUMNS = {"Slots", "Start of a run", "Per task", "Runs now", "Cut"}


class LiveTasksTest(LiveCase):
    def start(self, facts, seconds=20, workers=3, **options):
        run = self.run_of(workers, facts=facts)
        run.tell(f"at {seconds}")
        page = self.open(run, **options)
        self.wait_until_shown(page, seconds)
        return run, page

    def rows(self, page):
        return {name: (text, lines) for name, text, lines in page.evaluate(ROWS)}

    def column(self, page, name):
        at = page.evaluate(HEAD).index(name)
        return page.evaluate(f"[...document.querySelectorAll('#nodes tbody tr')].map((r) => r.cells[{at}].innerText)")

    def test_a_job_that_says_nothing_of_its_tasks_has_nothing_of_it(self):
        run, page = self.start("")
        for _ in ("live", "report"):
            self.assertTrue(page.evaluate("document.querySelector('#tasks').hidden"))
            self.assertEqual(OWN_COLUMNS & set(page.evaluate(HEAD)), set())
            self.assertTrue(page.evaluate("[...document.querySelectorAll('[data-word]')].every((e) => e.hidden)"))
            run.tell("end")
            self.wait(page, "live.ended === 'Complete'", "the report is shown")

    def test_shows_needs_costs_ranges_and_failures_on_desks_and_phones(self):
        for width, dark in ((1280, False), (1280, True), (390, False), (390, True)):
            with self.subTest(width=width, dark=dark):
                run, page = self.start(ALL, width=width, dark=dark, touch=width < 600)
                self.check_rows(self.rows(page))
                self.assertEqual(self.column(page, "Slots"), ["1 (memory)", "1", "1 (memory)"])
                self.assertEqual(self.column(page, "Start of a run"), ["0.5 s", "1 s", "1.5 s"])
                self.assertEqual(self.column(page, "Per task"), ["0.005 s", "0.01 s", "0.015 s"])
                self.assertEqual(self.column(page, "Runs now"), ["1, 1 can be cut", "1", "1, 1 can be cut"])
                self.assertEqual(self.column(page, "Cut"), ["2", "2", "2"])
                self.assertEqual(self.column(page, "State")[0], "alone")
                self.assertIn("1 alone", page.evaluate("document.querySelector('#figures').innerText"))
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                self.assertLessEqual(page.evaluate("document.querySelector('#tasks dl').scrollWidth - document.querySelector('#tasks dl').clientWidth"), 0)
                self.check_clean(page, run)

    def check_rows(self, rows):
        self.assertEqual(list(rows), ["Costs", "Ranges", "Needs of each", "Failed attempts", "Alone"])
        text, lines = rows["Costs"]
        self.assertEqual(text, "column 1 of the file of arguments; they are hints, and dropped if measured times do not follow them")
        self.assertIn("In use: log(time) rises by 0.83 ± 0.05 with log(cost)", lines[0])
        self.assertRegex(lines[1], r"^A cost of 1 takes \S+ s on \S+ to \S+ s on \S+\.$")
        text, lines = rows["Ranges"]
        self.assertEqual(text, "one run of the command does many of the 2000 tasks")
        self.assertRegex(lines[0].replace("\u202f", ""), r"^\d+ of 2000 tasks are done; 3 runs go on, 2 of them can be cut; 6 were cut so far\.$")
        self.assertEqual(rows["Needs of each"], ("cpu 2, memory 1500Mi; a node runs as many at a time as fit", ["3 slots on 3 nodes."]))
        text, lines = rows["Failed attempts"]
        self.assertEqual(text, "7, of which 3 ran out of memory")
        self.assertEqual(lines[1], "The latest: task 12 on pi3: OutOfMemory: <b>of</b> 512 MiB")
        self.assertEqual(rows["Alone"][0], "1 task runs alone on a node, 4 wait for it")

    def test_says_that_costs_are_not_used_any_more(self):
        _, page = self.start("noise")
        text, lines = self.rows(page)["Costs"]
        self.assertTrue(text.startswith("bytes of the files that the arguments name;"))
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith("Not used any more: log(time) rises by 0.02 ± 0.03 with log(cost)"), lines)
        self.assertTrue(lines[0].endswith("All tasks count as equal."))

    def test_the_report_has_what_was_found(self):
        run, page = self.start("needs costs ranges failures", seconds=30)
        run.tell("end")
        self.wait(page, "live.ended === 'Complete'", "the report is shown")
        rows = self.rows(page)
        self.assertEqual(list(rows), ["Costs", "Ranges", "Needs of each", "Failed attempts"])
        self.assertRegex(rows["Costs"][1][1], r"^A cost of 1 takes ")
        self.assertEqual(rows["Ranges"][1][0].replace("\u202f", ""), "2000 of 2000 tasks are done; 6 were cut so far.")
        self.assertEqual(OWN_COLUMNS & set(page.evaluate(HEAD)), OWN_COLUMNS - {"Runs now"})
        self.assertEqual(page.evaluate("[...document.querySelectorAll('[data-word]')].filter((e) => e.hidden).length"), 0)
        self.check_clean(page, run)

    def test_answers_for_many_nodes_stay_bounded(self):
        run = self.run_of(1000, tasks=200000, report_seconds=0.5, facts=ALL)
        run.tell("at 42")
        _, size = run.ask()
        self.assertLess(size, 300 << 10)


if __name__ == "__main__":
    unittest.main()
