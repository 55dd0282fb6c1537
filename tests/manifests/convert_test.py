"""kubectl evenkeel convert: each Job in jobs/ becomes what stands beside it, with the remarks that
stand there, and both the schema of the CRD and the parser accept it.

KUBECTL_EVENKEEL names the program; ctest sets it. NAME.yaml has the Jobs, NAME.weightedjob.yaml and
NAME.remarks.txt what the program prints. With EVENKEEL_WRITE_GOLDEN=1 the test writes these."""

import os
import pathlib
import subprocess
import unittest

import yaml

import crd_schema
import parser_probe

PLUGIN = os.environ["KUBECTL_EVENKEEL"]
FOLDER = pathlib.Path(__file__).with_name("jobs")
# Variables whose values come from the cluster: the parser of one machine wants them here.
CLUSTER_VARIABLES = ("LICENSE", "NODE")


def convert(file, text=None):
    """(exit code, stdout, stderr); without kubectl, and without a kubeconfig."""
    done = subprocess.run([PLUGIN, "convert", file], input=text, cwd=FOLDER, capture_output=True,
                          text=True, timeout=30, check=False, env={"PATH": "/nowhere"})
    return done.returncode, done.stdout, done.stderr


def jobs():
    return [path for path in sorted(FOLDER.glob("*.yaml"))
            if not path.name.endswith(".weightedjob.yaml")]


class ConvertTest(unittest.TestCase):
    maxDiff = None

    def test_jobs_become_what_stands_beside_them(self):
        self.assertGreaterEqual(len(jobs()), 3)
        for path in jobs():
            with self.subTest(path.name):
                code, out, err = convert(path.name)
                self.assertEqual(code, 0, err)
                for suffix, text in ((".weightedjob.yaml", out), (".remarks.txt", err)):
                    golden = path.with_suffix(suffix)
                    if os.environ.get("EVENKEEL_WRITE_GOLDEN"):
                        golden.write_text(text, encoding="utf-8")
                    self.assertEqual(golden.read_text(encoding="utf-8"), text)

    def test_schema_and_parser_accept_them(self):
        schema = crd_schema.schemas()["WeightedJob"]
        for name in CLUSTER_VARIABLES:
            os.environ[name] = "set"
        for path in jobs():
            for manifest in yaml.safe_load_all(convert(path.name)[1]):
                with self.subTest(path.name, job=manifest["metadata"]):
                    self.assertEqual(list(crd_schema.violations(manifest, schema)), [])
                    self.assertNotIn("status", manifest)
                    # The API server appends five characters, and evenkeel runs no suspended job.
                    manifest["metadata"].setdefault("name", "generated")
                    manifest["spec"].pop("suspend", None)
                    accepted, said = parser_probe.ask(manifest)
                    self.assertTrue(accepted, said)

    def test_standard_input_gives_the_same(self):
        for path in jobs():
            self.assertEqual(convert("-", path.read_text(encoding="utf-8")), convert(path.name))

    def test_what_is_refused_prints_no_manifest(self):
        job = jobs()[0].read_text(encoding="utf-8")
        other = "---\n{apiVersion: v1, kind: Secret, metadata: {name: s}}\n"
        for text, says in (
                (other, ["stdin: must be a Job of batch/v1"]),
                (job + other + other, ["stdin: document 2: ", "stdin: document 3: "]),
                ("", ["stdin: has no Job"]),
                ("a: [", ["stdin: line "])):
            with self.subTest(text=text[:40]):
                code, out, err = convert("-", text)
                self.assertEqual((code, out), (2, ""), err)
                self.assertEqual(len(err.splitlines()), len(says), err)
                for line, beginning in zip(err.splitlines(), says):
                    self.assertTrue(line.startswith("kubectl-evenkeel: " + beginning), line)
        code, out, err = convert("no-such-file.yaml")
        self.assertEqual((code, out, len(err.splitlines())), (2, "", 1), err)


if __name__ == "__main__":
    unittest.main()
