"""The CRDs are structural, bounded and described: what an API server and kubectl explain ask for."""

import re
import unittest

import crd_schema

FORBIDDEN = {"anyOf", "oneOf", "allOf", "not", "$ref", "definitions", "nullable", "uniqueItems",
             "x-kubernetes-embedded-resource"}
# Objects that Evenkeel cannot validate: the parameters of workloads of other authors.
FREE = {"spec.workload.custom.*"}


def nodes():
    """(kind, path, schema) of every field of every kind."""
    for kind, schema in crd_schema.schemas().items():
        for path, node in crd_schema.walk(schema):
            yield kind, path, node


def shown(number):
    return f"{number:,}"


def bounds_in_words(node):
    """How a description has to tell the bounds of a number, a text, a list or a map."""
    if crd_schema.is_number(node) or node.get("x-kubernetes-int-or-string"):
        least, most = node["minimum"], node.get("maximum")
        if most is None:
            return f"{shown(least)} or more"
        if node.get("exclusiveMinimum"):
            return f"above {shown(least)}, at most {shown(most)}"
        return f"{shown(least)} to {shown(most)}"
    if "enum" in node:
        return None  # kubectl explain lists them
    if node.get("minItems", 0) == node.get("maxItems"):
        return None
    for bound in ("maxLength", "maxItems", "maxProperties"):
        if bound in node:
            return shown(node[bound])
    return None


def default_in_words(node):
    default = node.get("default")
    if default is None or isinstance(default, dict):
        return None
    if isinstance(default, list):
        return f"Default {', '.join(map(str, default))}"
    text = str(default).lower() if isinstance(default, bool) else (
        shown(default) if crd_schema.is_number(node) else default)
    return f"Default {text}"


class Shape(unittest.TestCase):
    def test_names(self):
        for kind, crd in crd_schema.definitions().items():
            spec = crd["spec"]
            self.assertEqual(spec["group"], crd_schema.GROUP)
            self.assertEqual(crd["metadata"]["name"], f"{spec['names']['plural']}.{spec['group']}")
            self.assertEqual(spec["names"]["kind"], kind)
        names = {kind: crd["spec"]["names"] for kind, crd in crd_schema.definitions().items()}
        self.assertEqual(names["WeightedJob"]["shortNames"], ["wj"])
        self.assertEqual(names["WeightedJob"]["categories"], ["all"])
        self.assertEqual(names["WeightingPolicy"]["shortNames"], ["wpol"])

    def test_rules_hold_for_defaults(self):
        """An API server judges a default as it is written, without the defaults in it."""
        for kind, path, node in nodes():
            for rule in node.get("x-kubernetes-validations", []) if node.get("default") == {} else []:
                text = rule["rule"]
                for name in set(re.findall(r"self\.(\w+)", text)):
                    with self.subTest(f"{kind} {path}: {name}"):
                        self.assertIn(f"has(self.{name})", text)

    def test_files_are_named_after_their_crd(self):
        for path in crd_schema.files():
            spec = crd_schema.load(path)["spec"]
            self.assertEqual(path.name, f"{spec['group']}_{spec['names']['plural']}.yaml")

    def test_one_version_is_served_and_stored(self):
        for crd in crd_schema.definitions().values():
            (version,) = crd["spec"]["versions"]
            self.assertEqual((version["name"], version["served"], version["storage"]),
                             ("v1alpha1", True, True))

    def test_columns(self):
        crd = crd_schema.definitions()["WeightedJob"]
        (version,) = crd["spec"]["versions"]
        columns = version["additionalPrinterColumns"]
        self.assertEqual([c["name"] for c in columns if not c.get("priority")],
                         ["Status", "Progress", "ETA", "Workers", "Age"])
        self.assertEqual([c["name"] for c in columns if c.get("priority")], ["Strategy", "Result"])
        for column in columns:
            if column["jsonPath"].startswith((".status", ".spec")):
                self.assertIsNotNone(crd_schema.at(crd_schema.schema_of(crd), column["jsonPath"]))

    def test_conditions_are_a_map_by_type(self):
        for kind, crd in crd_schema.definitions().items():
            with self.subTest(kind=kind):
                (version,) = crd["spec"]["versions"]
                self.assertIn("status", version["subresources"])
                conditions = crd_schema.at(crd_schema.schemas()[kind], ".status.conditions")
                self.assertEqual(conditions["x-kubernetes-list-type"], "map")
                self.assertEqual(conditions["x-kubernetes-list-map-keys"], ["type"])


class Structure(unittest.TestCase):
    def test_every_field_has_one_type(self):
        for kind, path, node in nodes():
            with self.subTest(kind=kind, path=path):
                self.assertNotEqual("type" in node, "x-kubernetes-int-or-string" in node)
                self.assertEqual(FORBIDDEN & set(node), set())
                self.assertEqual(node.get("x-kubernetes-preserve-unknown-fields", False), path in FREE)

    def test_objects_know_their_fields(self):
        for kind, path, node in nodes():
            if node.get("type") != "object" or path in FREE:
                continue
            with self.subTest(kind=kind, path=path):
                self.assertNotEqual("properties" in node, "additionalProperties" in node)
                self.assertLessEqual(set(node.get("required", [])), set(node.get("properties", {})))

    def test_lists_say_how_they_are_merged(self):
        for kind, path, node in nodes():
            if node.get("type") != "array":
                continue
            with self.subTest(kind=kind, path=path):
                self.assertIn(node["x-kubernetes-list-type"], ("atomic", "map", "set"))
                keys = set(node.get("x-kubernetes-list-map-keys", []))
                self.assertEqual(bool(keys), node["x-kubernetes-list-type"] == "map")
                self.assertLessEqual(keys, set(node["items"].get("required", [])))

    def test_defaults_are_allowed_values(self):
        for kind, path, node in nodes():
            if "default" not in node:
                continue
            with self.subTest(kind=kind, path=path):
                value = crd_schema.defaulted(node["default"], node)
                self.assertEqual(list(crd_schema.violations(value, node)), [])

    def test_patterns_are_anchored(self):
        for kind, path, node in nodes():
            if "pattern" not in node:
                continue
            with self.subTest(kind=kind, path=path):
                self.assertRegex(node["pattern"], r"^\^.*\$$")
                re.compile(node["pattern"])


class Bounds(unittest.TestCase):
    def test_numbers_are_bounded(self):
        for kind, path, node in nodes():
            if crd_schema.is_number(node) or node.get("x-kubernetes-int-or-string"):
                with self.subTest(kind=kind, path=path):
                    self.assertIn("minimum", node)
                    self.assertIsNotNone(crd_schema.greatest(node))

    def test_maxima_are_what_servers_compare_with(self):
        # They keep a maximum as a 64-bit float and convert it back; 2^63 - 1 does not survive that.
        for kind, path, node in nodes():
            with self.subTest(kind=kind, path=path):
                most = node.get("maximum", 0)
                self.assertEqual(float(most), most)
                self.assertLess(float(most), 2.0 ** 63)

    def test_bounds_with_a_fraction_are_rules_as_well(self):
        # Servers convert a bound to the type of the value: for a whole number 0.1 becomes 0.
        for kind, path, node in nodes():
            for bound in ("minimum", "maximum"):
                if node.get(bound, 0) != int(node.get(bound, 0)):
                    with self.subTest(kind=kind, path=path):
                        (rule,) = node["x-kubernetes-validations"]
                        self.assertIn(str(node[bound]), rule["rule"])

    def test_texts_are_bounded(self):
        for kind, path, node in nodes():
            if node.get("type") == "string" or node.get("x-kubernetes-int-or-string"):
                with self.subTest(kind=kind, path=path):
                    self.assertTrue("maxLength" in node or "enum" in node)

    def test_lists_and_maps_are_bounded(self):
        for kind, path, node in nodes():
            with self.subTest(kind=kind, path=path):
                if node.get("type") == "array":
                    self.assertIn("maxItems", node)
                if "additionalProperties" in node:
                    self.assertIn("maxProperties", node)


class Words(unittest.TestCase):
    def test_every_field_is_described(self):
        for kind, schema in crd_schema.schemas().items():
            for path, node in [("", schema), *crd_schema.walk(schema)]:
                if path == "metadata":  # the server forbids it, and shows its own
                    continue
                with self.subTest(kind=kind, path=path):
                    self.assertRegex(node.get("description", ""), r"^[A-Z\d].*\.$")

    def test_descriptions_tell_bounds_and_defaults(self):
        for kind, path, node in nodes():
            if not path.startswith("spec"):
                continue
            for words in filter(None, (bounds_in_words(node), default_in_words(node))):
                with self.subTest(kind=kind, path=path):
                    self.assertIn(words, node["description"])

    def test_rules_name_fields_that_there_are(self):
        for kind, schema in crd_schema.schemas().items():
            for path, node, rule in crd_schema.rules(schema):
                with self.subTest(kind=kind, path=path, rule=rule["rule"]):
                    self.assertTrue(rule.get("message"), "a message says more than the rule")
                    self.assertNotIn("\n", rule["message"])
                    self.assertFalse(rule["message"].endswith("."))
                    if "fieldPath" in rule:
                        self.assertIsNotNone(crd_schema.at(node, rule["fieldPath"]))


class TheValidatorItself(unittest.TestCase):
    schema = {"type": "object", "required": ["a"], "properties": {
        "a": {"type": "integer", "format": "int32", "minimum": 0},
        "b": {"type": "array", "maxItems": 1, "x-kubernetes-list-type": "atomic",
              "items": {"type": "string", "maxLength": 2, "pattern": "^x"}},
        "c": {"x-kubernetes-int-or-string": True, "minimum": 0, "maximum": 9, "maxLength": 3},
        "d": {"type": "object", "additionalProperties": {"type": "number", "minimum": 0,
                                                         "exclusiveMinimum": True}}}}

    def test_good_values(self):
        good = {"a": 3, "b": ["x"], "c": "abc", "d": {"k": 0.5}}
        self.assertEqual(list(crd_schema.violations(good, self.schema)), [])

    def test_bad_values(self):
        for bad in ({}, {"a": -1}, {"a": 2 ** 31}, {"a": True}, {"a": 1.5}, {"a": "1"},
                    {"a": 1, "b": ["y"]}, {"a": 1, "b": ["xxx"]}, {"a": 1, "b": ["x", "x"]},
                    {"a": 1, "c": 10}, {"a": 1, "c": "abcd"}, {"a": 1, "c": 0.5},
                    {"a": 1, "d": {"k": 0}}, {"a": 1, "e": 1}, []):
            with self.subTest(bad=bad):
                self.assertEqual(len(list(crd_schema.violations(bad, self.schema))), 1)

    def test_duplicates_in_a_list_by_key(self):
        schema = {"type": "array", "x-kubernetes-list-type": "map",
                  "x-kubernetes-list-map-keys": ["name"],
                  "items": {"type": "object", "properties": {
                      "name": {"type": "string", "maxLength": 3}}}}
        twice = [{"name": "a"}, {"name": "b"}, {"name": "a"}]
        self.assertEqual(len(list(crd_schema.violations(twice, schema))), 1)


if __name__ == "__main__":
    unittest.main()
