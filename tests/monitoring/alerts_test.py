"""Each alert fires where it should and not where it should not: promtool runs alerts.test.yaml."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import yaml

import dashboards

SKIPPED = 77
CASES = pathlib.Path(__file__).with_name("alerts.test.yaml")
PROMTOOL = os.environ.get("EVENKEEL_PROMTOOL") or shutil.which("promtool") or ""


def promtool(*arguments):
    return subprocess.run([PROMTOOL, *map(str, arguments)], capture_output=True, text=True,
                          timeout=60, check=False)


class Alerts(unittest.TestCase):
    def test_the_rules_are_rules(self):
        done = promtool("check", "rules", dashboards.RULES)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_cases_pass(self):
        done = promtool("test", "rules", CASES)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_alert_fires_once_and_keeps_still_once(self):
        fires, still = set(), set()
        for case in yaml.safe_load(CASES.read_text(encoding="utf-8"))["tests"]:
            for check in case["alert_rule_test"]:
                (fires if check["exp_alerts"] else still).add(check["alertname"])
                # Others of the same test that are not expected keep still, too.
                if len(check["exp_alerts"]) and len(case["input_series"]) > 2:
                    still.add(check["alertname"])
        alerts = {rule["alert"] for rule in dashboards.rules()}
        self.assertEqual((fires, still), (alerts, alerts))


if __name__ == "__main__":
    if not os.path.exists(PROMTOOL):
        print("skipped: no promtool; Debian's package prometheus has it", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main()
