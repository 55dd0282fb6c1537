#!/usr/bin/env python3
"""Measures what the live page costs, both sides of it: docs/live-page.md has the figures.

Needs the build folder's serve_sample_run, which serves a run of any size, and Chromium. With
--screenshots it makes the pictures of docs/images instead.
"""

import argparse
import os
import pathlib
import shutil
import sys
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent
SIZES = ((3, {"tasks": 2000}), (50, {"tasks": 20000, "report_seconds": 0.5}),
         (1000, {"tasks": 200000, "report_seconds": 0.5}))
UPDATES = 8


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path, metavar="DIR")
    return parser.parse_args()


OPTIONS = arguments()
os.environ.setdefault("EVENKEEL_CHROMIUM", shutil.which("chromium") or "chromium")
os.environ.setdefault("EVENKEEL_SERVE_SAMPLE_RUN",
                      str(OPTIONS.build / "tests/integration/report/serve_sample_run"))
sys.path.insert(0, str(PROJECT / "tests" / "integration" / "report"))
from live_case import CHROMIUM, Browser, SampleRun, eventually  # noqa: E402


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


def main():
    if not OPTIONS.screenshots:
        return measure()
    with Browser(CHROMIUM) as browser:
        shoot(browser, OPTIONS.screenshots / "live.png", 3, 43, (1280, 1240), tasks=500)
        shoot(browser, OPTIONS.screenshots / "live-phone.png", 3, 43, (390, 844), dark=True, tasks=500)
        shoot(browser, OPTIONS.screenshots / "live-1000.png", 1000, 40, (1280, 1100), tasks=60000, report_seconds=0.5)


if __name__ == "__main__":
    main()
