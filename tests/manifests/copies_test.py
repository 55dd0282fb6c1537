"""Copies are equal to their originals: CRDs in the chart, the reference page, versions."""

import json
import re
import subprocess
import sys
import unittest

import yaml

import crd_schema

CHART = crd_schema.ROOT / "helm" / "evenkeel"


class Copies(unittest.TestCase):
    def test_crds_of_the_chart_and_the_reference_are_up_to_date(self):
        done = subprocess.run([sys.executable, "-B", crd_schema.ROOT / "scripts" / "crds.py", "--check"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_copies_are_files(self):
        """Helm packages no links."""
        copies = sorted((CHART / "crds").iterdir())
        self.assertEqual([path.name for path in copies], [path.name for path in crd_schema.files()])
        for path in copies:
            self.assertFalse(path.is_symlink())

    def test_the_chart_has_the_version_of_the_project(self):
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
        text = (crd_schema.ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        version = re.search(r"project\(evenkeel VERSION ([\d.]+)", text).group(1)
        self.assertEqual((chart["version"], chart["appVersion"]), (version, version))

    def test_dates_of_the_feature_rule_are_those_of_the_operator(self):
        """The rule knows the releases that core/scheduling knows, and no others."""
        source = (crd_schema.ROOT / "core/scheduling/fuzzy/node_facts.cc").read_text(encoding="utf-8")
        known = set(re.findall(r'\{"(\w+)", "[^"]+", "([\d-]+)", "([\d.]+)"\}', source))
        self.assertGreater(len(known), 5)
        rule = (CHART / "templates/labeller/nodefeaturerule.yaml").read_text(encoding="utf-8")
        listed = re.findall(r'\(list "([\w,]+)" "([\d.]+)" "([\d-]+)"\)', rule)
        self.assertEqual({(name, date, version) for names, version, date in listed
                          for name in names.split(",")}, known)

    def test_cores_of_the_feature_rule_are_those_of_the_operator(self):
        source = (crd_schema.ROOT / "core/scheduling/fuzzy/board_catalogue.cc").read_text(
            encoding="utf-8")
        known = {(name, int(part, 16)) for name, part in
                 re.findall(r'\{"([\w-]+)", [\d.]+, (0x[0-9a-f]+), "', source)}
        self.assertGreater(len(known), 3)
        rule = (CHART / "templates/labeller/nodefeaturerule.yaml").read_text(encoding="utf-8")
        listed = re.findall(r'"([\w-]+)" (0x[0-9a-f]+)', rule)
        self.assertEqual({(name.lower(), int(part, 16)) for name, part in listed}, known)


class Values(unittest.TestCase):
    def test_every_value_is_in_the_schema(self):
        """A value that the schema does not know could not be set; one that is not in values.yaml
        would not be found."""
        values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
        schema = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
        self.same(values, schema, schema, "")

    def same(self, values, schema, root, path):
        schema = self.resolved(schema, root)
        if schema.get("additionalProperties") is not False or not isinstance(values, dict):
            return
        self.assertEqual(set(values), set(schema["properties"]) - {"global"}, path or "values")
        for name, value in values.items():
            self.same(value, schema["properties"][name], root, f"{path}.{name}")

    @staticmethod
    def resolved(schema, root):
        for part in [schema, *schema.get("allOf", [])]:
            if "$ref" in part:
                return root["definitions"][part["$ref"].rsplit("/", 1)[1]]
        return schema


if __name__ == "__main__":
    unittest.main()
