"""Measures what the live page costs, both sides of it: docs/live-page.md has the figures.

`ninja live_page_figures` runs it. Given a folder it makes the pictures of docs/images there instead.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from browser import Browser
from browser_case import CHROMIUM
from live_case import SampleRun, eventually

SIZES = ((3, {"tasks": 2000}), (50, {"tasks": 20000, "report_seconds": 0.5}),
         (1000, {"tasks": 200000, "report_seconds": 0.5}))
UPDATES = 8


def shown(page, second):
    return page.evaluate(f"Boolean(report.data?.now?.elapsedSeconds >= {second} && report.data.timeline.caughtUp)")


# Times what the page does with an answer.
WATCH = """
(() => {
  const take = live.live.bind(live);
  live.spent = [];
  live.live = (answer) => {
    const began = performance.now();
    take(answer);
    report.lanes.canvas.getContext('2d').getImageData(0, 0, 1, 1);  // so that it has been drawn
    live.spent.push(performance.now() - began);
  };
})()"""
CHARTS = "(() => { const began = performance.now(); report.charts.setData(report.data); return performance.now() - began; })()"


def answers(run):
    """(bytes of a whole answer, bytes of one about the last two seconds, CPU ms of the latter)."""
    _, _ = run.ask()
    time.sleep(1)
    told, whole = run.ask()
    sizes, before, second = [], run.cpu_seconds(), 30.0
    for _ in range(40):
        second += 0.2
        run.tell(f"at {second}")
        told, size = run.ask(told["at"])
        sizes.append(size)
        time.sleep(max(0, 10 * told["againSeconds"] - 20))  # so that it does not refuse
    return whole, max(sizes), 1000 * (run.cpu_seconds() - before) / len(sizes)


def drawing(browser, run):
    """(median ms that an update of the page takes without charts, ms of drawing these)."""
    with browser.page(1280, 900) as page:
        page.open(run.url)
        eventually(lambda: shown(page, 38), "the run is shown")
        page.evaluate(WATCH)
        second = 38.0
        for _ in range(UPDATES):
            second += 0.4
            run.tell(f"at {second}")
            eventually(lambda: shown(page, second), "an update")
        return statistics.median(page.evaluate("live.spent")), page.evaluate(CHARTS)


def measure():
    print("| nodes | whole answer, KiB | later answer, KiB | server, CPU ms an answer | page, ms an update | page, ms to draw the charts |")
    print("|---|---|---|---|---|---|")
    with Browser(CHROMIUM) as browser:
        for workers, options in SIZES:
            with SampleRun(workers, **options) as run:
                run.tell("at 30")
                whole, later, cpu = answers(run)
                run.tell("at 38")
                update, charts = drawing(browser, run)
            print(f"| {workers} | {whole / 1024:.0f} | {later / 1024:.1f} | {cpu:.1f} | {update:.0f} | {charts:.0f} |", flush=True)


def shoot(browser, path, workers, second, size, dark=False, **options):
    with SampleRun(workers, **options) as run, browser.page(*size, dark, size[0] < 600) as page:
        run.tell("at 2")
        page.open(run.url)
        run.tell(f"at {second}")
        eventually(lambda: shown(page, second), path)
        page.evaluate("report.charts.setData(report.data); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.screenshot(path, whole=False)
        print(path)


def shoot_real_run(browser, folder):
    """A job that sleeps on three nodes that weigh the same and are not equal at all."""
    nodes = [{"apiVersion": "v1", "kind": "Node", "metadata": {
        "name": name, "annotations": {"evenkeel.dev/emulated-speed": speed}}}
        for name, speed in (("pi4-a", "4.3"), ("pi4-b", "4.1"), ("pi3", "1"))]
    job = {"apiVersion": "batch.evenkeel.dev/v1alpha1", "kind": "WeightedJob", "metadata": {"name": "measurements"},
           "spec": {"workload": {"synthetic": {"tasks": 500, "cost": {"uniform": [0.2, 0.95]}, "mode": "Sleep"}}}}
    with tempfile.TemporaryDirectory() as work:
        for name, content in (("nodes.yaml", {"apiVersion": "v1", "kind": "List", "items": nodes}), ("job.yaml", job)):
            pathlib.Path(work, name).write_text(json.dumps(content))
        run = subprocess.Popen([os.environ["EVENKEEL"], "run", "job.yaml", "--nodes", "nodes.yaml", "--ui"], cwd=work,
                               stdout=subprocess.PIPE, text=True)
        url = next(line.split()[-1] for line in run.stdout if line.startswith("live page: "))
        for name, size, dark in (("live.png", (1280, 1180), False), ("live-phone.png", (390, 844), True)):
            with browser.page(*size, dark, size[0] < 600) as page:
                page.open(url)
                eventually(lambda: shown(page, 26), "the run is shown")
                page.evaluate("report.charts.setData(report.data)")
                if size[0] < 600:
                    page.evaluate("document.querySelector('#bar').scrollIntoView()")
                page.screenshot(folder / name, whole=False)
                print(folder / name)
        run.communicate()


def take_pictures(folder):
    with Browser(CHROMIUM) as browser:
        shoot_real_run(browser, folder)
        shoot(browser, folder / "live-1000.png", 1000, 40, (1280, 1100), tasks=60000, report_seconds=0.5)


def main():
    if len(sys.argv) > 1:
        take_pictures(pathlib.Path(sys.argv[1]))
    else:
        measure()


if __name__ == "__main__":
    main()
