"""The tables of manifests are whole, and agree with what a schema without an API server can say."""

import unittest

import crd_schema
import tables


def structural(manifest):
    schema = crd_schema.schemas()[manifest["kind"]]
    return list(crd_schema.violations(crd_schema.defaulted(manifest, schema), schema))


class Tables(unittest.TestCase):
    def test_they_are_long_enough(self):
        self.assertGreaterEqual(len(list(tables.invalid())), 60)
        self.assertGreaterEqual(len(list(tables.valid())), 15)
        self.assertGreaterEqual(len(list(tables.updates())), 30)

    def test_names_differ(self):
        for cases in (tables.invalid(), tables.valid(), tables.updates()):
            names = [case.name for case in cases]
            self.assertEqual(len(names), len(set(names)))

    def test_every_section_has_an_invalid_case(self):
        fields = {case.field for case in tables.invalid()}
        sections = crd_schema.schemas()["WeightedJob"]["properties"]["spec"]["properties"]
        for section in sections:
            self.assertTrue(any(field.startswith(f"spec.{section}") for field in fields), section)

    def test_every_transition_rule_has_a_refused_update(self):
        refused = {case.field for case in tables.updates() if not case.allowed}
        for path, _, rule in crd_schema.rules(crd_schema.schemas()["WeightedJob"]):
            if "oldSelf" in rule["rule"]:
                self.assertIn(path + rule.get("fieldPath", ""), refused)

    def test_every_other_rule_has_an_invalid_case(self):
        fields = {self.plain(case.field) for case in tables.invalid()}
        for kind, schema in crd_schema.schemas().items():
            for path, _, rule in crd_schema.rules(schema):
                field = (path + rule.get("fieldPath", "")).lstrip(".")
                if "oldSelf" not in rule["rule"]:
                    with self.subTest(kind=kind, rule=rule["rule"]):
                        self.assertTrue(any(known.startswith(field) for known in fields), field)

    @staticmethod
    def plain(field):
        return field.replace("[0]", "[]").replace("[1]", "[]")

    def test_valid_manifests_conform(self):
        for case in tables.valid():
            with self.subTest(case.name):
                self.assertEqual(structural(case.manifest), [])

    def test_updates_begin_valid(self):
        for case in tables.updates():
            with self.subTest(case.name):
                self.assertEqual(structural(case.old), [])

    def test_what_the_schema_refuses_is_the_named_field(self):
        """Cases that break no rule in CEL but the structure are seen here, too."""
        for case in tables.invalid():
            found = structural(case.manifest)
            with self.subTest(case.name):
                self.assertTrue(not found or any(case.field in line for line in found), found)

    def test_every_kind_of_bound_is_tried(self):
        """Most cases are about the structure; if none were noticed, nothing would be compared."""
        noticed = sum(1 for case in tables.invalid() if structural(case.manifest))
        self.assertGreater(noticed, 60)


class MergePatch(unittest.TestCase):
    def test_as_in_the_standard(self):
        for target, patch, result in (({"a": "b"}, {"a": "c"}, {"a": "c"}),
                                      ({"a": "b"}, {"a": None}, {}),
                                      ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
                                      ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}},
                                       {"a": {"b": "d"}}),
                                      ({}, {"a": {"b": {"c": None}}}, {"a": {"b": {}}})):
            self.assertEqual(tables.merged(target, patch), result)


if __name__ == "__main__":
    unittest.main()
