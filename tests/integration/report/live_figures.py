"""Measures what the live page costs, both sides of it: docs/live-page.md has the figures.

`ninja live_page_figures` runs it. Given a folder it makes the pictures of docs/images there instead.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from live_case import CHROMIUM, Browser, SampleRun, eventually

SIZES = ((3, {"tasks": 2000}), (50, {"tasks": 20000, "report_seconds": 0.5}),
         (1000, {"tasks": 200000, "report_seconds": 0.5}))
UPDATES = 8


def shown(page, second):
    return page.evaluate(f"Boolean(report.data?.now?.elapsedSeconds >= {second} && report.data.timeline.caughtUp)")


def script_ms(page):
    """Time that the page has spent in its scripts, and in all of its tasks."""
    figures = {m["name"]: 1000 * m["value"] for m in page.call("Performance.getMetrics")["metrics"]}
    return figures["ScriptDuration"], figures["TaskDuration"]


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
    """(ms of scripts, ms of all tasks) that an update of the page takes."""
    with browser.page(1280, 900) as page:
        page.call("Performance.enable")
        page.open(run.url)
        eventually(lambda: shown(page, 38), "the run is shown")
        before, second = script_ms(page), 38.0
        for _ in range(UPDATES):
            second += 0.4
            run.tell(f"at {second}")
            eventually(lambda: shown(page, second), "an update")
        return [(b - a) / UPDATES for a, b in zip(before, script_ms(page))]


def measure():
    print("| nodes | whole answer, KiB | later answer, KiB | server, CPU ms an answer | page, ms of scripts an update | page, ms in all |")
    print("|---|---|---|---|---|---|")
    with Browser(CHROMIUM) as browser:
        for workers, options in SIZES:
            with SampleRun(workers, **options) as run:
                run.tell("at 30")
                whole, later, cpu = answers(run)
                run.tell("at 38")
                scripts, tasks = drawing(browser, run)
            print(f"| {workers} | {whole / 1024:.0f} | {later / 1024:.1f} | {cpu:.1f} | {scripts:.0f} | {tasks:.0f} |", flush=True)


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
