"""Opens the live page of running jobs in a headless Chromium and checks what it displays."""

import json
import unittest
import urllib.error

from live_case import LiveCase

# How many pixels of the lanes in sight have the colours of work that was done.
COUNT_WORK = """
(() => {
  const {lanes} = report;
  lanes.draw();
  const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const colour = (name) => {
    probe.fillStyle = themeColour(name);
    probe.fillRect(0, 0, 1, 1);
    return probe.getImageData(0, 0, 1, 1).data.slice(0, 3).join();
  };
  const work = new Set(['planned', 'stolen', 'copy'].map(colour));
  let count = 0;
  for (const i of lanes.visibleLanes()) {
    const {y, height} = lanes.lane(i);
    const row = lanes.canvas.getContext('2d')
        .getImageData(0, Math.round((y + height - 3) * lanes.density), lanes.canvas.width, 1).data;
    for (let p = 0; p < row.length; p += 4) count += work.has(row.slice(p, p + 3).join());
  }
  return count;
})()"""
FIGURES = """
Object.fromEntries([...document.querySelectorAll('[data-figure]')].map((e) => [e.dataset.figure, e.textContent]))"""
SIZES = ((3, {"tasks": 2000}), (50, {"tasks": 20000, "report_seconds": 0.5}),
         (1000, {"tasks": 200000, "report_seconds": 0.5}))


def number(text):
    return float(text.split()[0])


class LiveTest(LiveCase):
    def check_growth(self, page, run, workers):
        run.tell("at 10")
        self.wait_until_shown(page, 10)
        before, work = page.evaluate(FIGURES), page.evaluate(COUNT_WORK)
        self.assertEqual(page.evaluate("Number(document.querySelector('#lanes canvas').dataset.lanes)"), workers)
        self.assertGreater(work, 100)
        run.tell("at 25")
        self.wait_until_shown(page, 25)
        after = page.evaluate(FIGURES)
        self.assertGreater(page.evaluate(COUNT_WORK), 1.5 * work)
        self.assertGreater(number(after["progress"]), number(before["progress"]))
        self.assertRegex(after["etaSeconds"], r"^\d+(\.\d)? s$")
        self.assertLess(number(after["etaSeconds"]), number(before["etaSeconds"]))
        self.assertEqual(float(page.evaluate("document.querySelector('#bar').getAttribute('aria-valuenow')")),
                         number(after["progress"]))

    def check_table(self, page, workers):
        rows = page.evaluate("[...document.querySelectorAll('#nodes tbody tr')].map((r) => [...r.cells].map((c) => c.innerText))")
        self.assertEqual(len(rows), min(workers, 50))
        self.assertTrue(all(row[1] in ("busy", "idle", "away", "lost") for row in rows))
        head = page.evaluate("[...document.querySelectorAll('#nodes th')].map((c) => c.innerText)")
        for name in ("Rate, units/s", "Predicted finish", "Share", "Stolen in", "Stolen out"):
            self.assertIn(name, head)

    def test_grows_at_every_size_on_desks_and_phones(self):
        for workers, options in SIZES:
            for width, dark in ((1280, False), (390, True)):
                with self.subTest(workers=workers, width=width):
                    run = self.run_of(workers, **options)
                    page = self.open(run, width, 844, dark, touch=width < 600)
                    self.check_growth(page, run, workers)
                    self.check_table(page, workers)
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                    self.check_clean(page, run)

    def test_a_page_opened_late_shows_what_was_before(self):
        run = self.run_of(3)
        run.tell("at 20")
        page = self.open(run)
        self.wait_until_shown(page, 20)
        # Work from the first second on, in every lane.
        early = page.evaluate("""report.data.timeline.cells.lanes.map((lane) =>
            lane.slice(Math.ceil(1 / report.data.timeline.cells.step), Math.floor(5 / report.data.timeline.cells.step)).every((cell) => cell > 0))""")
        self.assertEqual(early, [True] * 3)
        self.assertGreater(page.evaluate("report.data.timeline.events.length"), 10)

    def test_those_that_would_finish_last_come_first_and_nodes_can_be_found(self):
        run = self.run_of(1000, tasks=200000, report_seconds=0.5)
        run.tell("at 12")
        page = self.open(run)
        self.wait_until_shown(page, 12)
        predicted = page.evaluate("report.lanes.order.slice(0, 50).map((i) => report.data.summary.nodes[i].predictedFinishSeconds)")
        self.assertGreater(predicted[0], page.evaluate("report.data.now.elapsedSeconds + report.data.now.etaSeconds"))
        page.evaluate("""(() => { const box = document.querySelector('#search'); box.focus(); box.value = 'NODE-77';
            box.dispatchEvent(new Event('input')); })()""")
        want = sorted(f"node-{i}" for i in (77, *range(770, 780)))
        self.assertEqual(sorted(page.evaluate("[...document.querySelectorAll('#nodes tbody td:first-child')].map((c) => c.innerText)")), want)
        self.assertEqual(page.evaluate("document.querySelector('#lanes canvas').dataset.lanes"), "11")
        self.assertEqual(page.evaluate("document.querySelector('#chosen').innerText").replace("\u202f", ""), "11 of 1000 nodes")
        run.tell("at 20")
        self.wait_until_shown(page, 20)
        self.assertEqual(page.evaluate("document.querySelectorAll('#nodes tbody tr').length"), 11)
        page.evaluate("""(() => { document.querySelector('#search').value = ''; document.querySelector('#search').dispatchEvent(new Event('input'));
            document.querySelector('#more button').click(); })()""")
        self.assertEqual(page.evaluate("document.querySelectorAll('#nodes tbody tr').length"), 1000)
        self.check_clean(page, run)

    def test_a_connection_that_breaks_is_made_again(self):
        run = self.run_of(3)
        run.tell("at 5")
        page = self.open(run)
        self.wait_until_shown(page, 5)
        box = "document.querySelector('#connection')"
        self.assertTrue(page.evaluate(box + ".hidden"))
        run.tell("close")
        self.wait(page, box + ".innerText.startsWith('Connection lost, trying again')", "the loss is told")
        self.assertEqual(page.evaluate(box + ".getAttribute('role')"), "status")
        run.tell("open")
        run.tell("at 15")
        self.wait_until_shown(page, 15)
        self.assertTrue(page.evaluate(box + ".hidden"))

    def test_it_becomes_the_report_when_the_run_is_over(self):
        run = self.run_of(3)
        run.tell("at 30")
        page = self.open(run)
        self.wait_until_shown(page, 30)
        run.tell("end")
        self.wait(page, "live.ended === 'Complete'", "the report is shown")
        text = (run.folder / "report.html").read_text()
        data = json.loads(text.split('id="data">', 1)[1].split("</script>", 1)[0])
        self.assertEqual(page.evaluate("report.data"), data)
        self.assertIn("Makespan", page.evaluate("document.querySelector('#figures').innerText"))
        self.assertTrue(page.evaluate("document.querySelector('#bar').hidden"))
        self.assertIn("The job is over", page.evaluate("document.querySelector('#connection').innerText"))
        self.assertEqual(page.evaluate("report.lanes.bars.length"), len(data["timeline"]["bars"]))
        self.check_clean(page, run)
        asked = len(page.requests)
        page.evaluate("new Promise((done) => setTimeout(done, 1500))")
        self.assertEqual(len(page.requests), asked)

    def test_a_report_that_cannot_be_fetched_is_asked_for_again(self):
        run = self.run_of(3)
        run.tell("at 30")
        page = self.open(run)
        self.wait_until_shown(page, 30)
        run.tell("close")
        run.tell("end")
        report = run.folder / "report.html"
        report.rename(run.folder / "away")
        run.tell("open")
        self.wait(page, "document.querySelector('#connection').innerText.startsWith('The job is over (Complete), but')", "it is told")
        (run.folder / "away").rename(report)
        self.wait(page, "live.ended === 'Complete'", "the report is shown")

    def test_takes_names_as_text(self):
        job = """</script><script>window.broken = 1</script><img src=x onerror="broken = 1">&amp;"'"""
        run = self.run_of(3, job=job)
        run.tell("at 5")
        page = self.open(run)
        self.wait_until_shown(page, 5)
        self.assertEqual(page.evaluate("document.querySelector('#job').textContent"), job)
        self.assertIn(job, page.evaluate("document.title"))
        self.assertEqual(page.evaluate("typeof window.broken"), "undefined")
        self.check_clean(page, run)

    def test_answers_are_bounded_and_short_for_those_who_know_the_rest(self):
        run = self.run_of(1000, tasks=200000, report_seconds=0.5)
        run.tell("at 10")
        run.ask()
        run.tell("at 42")
        whole, size = run.ask()
        self.assertTrue(whole["whole"])
        self.assertEqual(len(whole["nodes"]), 1000)
        self.assertLess(size, 300 << 10)
        more, size = run.ask(whole["at"])
        self.assertFalse(more["whole"])
        self.assertLess(size, 20 << 10)  # nothing happened
        self.assertGreaterEqual(more["againSeconds"], 2)

    def test_strangers_are_refused(self):
        run = self.run_of(3)
        for host in ("evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example"):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                run.ask(headers={"Host": host})
            self.assertEqual(refused.exception.code, 421)
            refused.exception.close()
        for host in ("localhost:1234", "[::1]:80"):
            run.ask(headers={"Host": host})


if __name__ == "__main__":
    unittest.main()
