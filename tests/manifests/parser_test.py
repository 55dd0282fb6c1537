"""The CRDs accept what `evenkeel run` and `evenkeel weights` accept: the same fields, the same bounds.

Where they differ, and why, stands here and nowhere else."""

import unittest

import crd_schema
import parser_probe
import tables

POD = "left to the API server by the parser, which knows pods no better"
WHOLE = "whole seconds, as in all of Kubernetes; runs on one machine are short, and also take fractions"
DIFFERENCES = {
    # path: the reason that the CRD differs from the parser
    "spec.workload.custom": "named by another message, which has a test of its own",
    "spec.workload.command.image": "for a cluster only, which needs one",
    "spec.workload.synthetic.cost": "named by another message, which has a test of its own",
    "spec.workload.command.cost": "named by another message, which has a test of its own",
    "spec.balancing.leaseSeconds": WHOLE,
    "spec.taskPolicy.timeoutSeconds": WHOLE,
    "spec.worker.template.volumes[].name": POD,
    "spec.worker.template.volumeMounts[].name": POD,
    "spec.criteria[].thresholds[].from": "a schema has no number or text, only whole number or text",
    "spec.criteria[].thresholds[].term": "one of the words of the policy: a rule in CEL",
}
AFFINITY = "spec.worker.template.affinity"
# Fields of a pod that the schema has only to refuse them by name, as the parser does.
REFUSED = (f"{AFFINITY}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution",
           f"{AFFINITY}.podAffinity", f"{AFFINITY}.podAntiAffinity")
TERM = f"{AFFINITY}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[]"
DIFFERENCES[f"{TERM}.matchFields[].key"] = "one word only, which the parser does not call a choice"
# Objects whose fields the parser ignores, except for their names.
OPEN = ("spec.worker.template.env[]", "spec.worker.template.volumes[]",
        "spec.worker.template.volumeMounts[]", "spec.worker.template.imagePullSecrets[]",
        "spec.worker.template.securityContext")

# Objects with exactly one field.
COSTS = ("spec.workload.synthetic.cost", "spec.workload.command.cost")


def is_open(path):
    """Below an open object, its name excepted, or refused as a whole."""
    return path.startswith(REFUSED) or any(
        path.startswith(place + ".") and path != place + ".name" for place in OPEN)


def is_quantity(node):
    return node.get("x-kubernetes-int-or-string", False)


def spec_nodes():
    for kind, schema in crd_schema.schemas().items():
        for path, node in crd_schema.walk(schema):
            if path.startswith("spec.") and not is_open(path):
                yield kind, path, node


def stated(node):
    """The values that the schema allows, in the form of parser_probe.allowed()."""
    if crd_schema.is_number(node):
        bounds = (node["minimum"], crd_schema.greatest(node))
        return (*bounds, "above") if node.get("exclusiveMinimum") else bounds
    if "enum" in node:
        return set(node["enum"])
    if node["type"] == "string":
        return node.get("minLength", 0), node["maxLength"]
    if node["type"] == "array":
        return node["maxItems"]
    if node["type"] == "object":
        return node.get("maxProperties", "object")
    return node["type"]


class Fields(unittest.TestCase):
    def test_fields_are_the_same(self):
        for kind, schema in crd_schema.schemas().items():
            for path, node in [("spec", schema["properties"]["spec"]), *crd_schema.walk(schema)]:
                if "properties" not in node or not path.startswith("spec") or is_open(path):
                    continue
                if path in (*OPEN, "spec.workload", *COSTS):
                    continue
                with self.subTest(kind=kind, path=path):
                    self.assertEqual(set(node["properties"]), parser_probe.known_fields(kind, path))

    def test_workloads_are_the_same(self):
        schema = crd_schema.at(crd_schema.schemas()["WeightedJob"], ".spec.workload")
        said = parser_probe.complaint("WeightedJob", "spec.workload", {"noSuchWorkload": {}})
        self.assertIn("must be one of " + ", ".join(sorted(schema["properties"])), said)

    def test_custom_is_one_workload(self):
        said = parser_probe.complaint("WeightedJob", "spec.workload.custom", {})
        self.assertIn("spec.workload.custom: must be an object with exactly one workload, is none", said)

    def test_costs_are_the_same(self):
        for path in COSTS:
            schema = crd_schema.at(crd_schema.schemas()["WeightedJob"], "." + path)
            fields = [name + ": true" * (field["type"] == "boolean")
                      for name, field in schema["properties"].items()]
            with self.subTest(path=path):
                said = parser_probe.complaint("WeightedJob", path, {})
                self.assertIn("must have exactly one of " + ", ".join(fields), said)


TOO_LARGE = ("2E", "9300T")
# Values of quantities and what they amount to; None: no field accepts them.
QUANTITIES = (("1", 1), ("1.5", 1.5), (".5Gi", 1 << 29), ("1e3", 1e3), ("1e7", 1e7), ("100m", 0.1),
              ("9200T", 9.2e15), ("-1", None), ("1 Gi", None), ("Gi", None), ("", None),
              ("0x10", None), (3, 3), (3_000_000, 3_000_000), (-3, None),
              (9_300_000_000_000_000, None), (True, None), *((text, None) for text in TOO_LARGE))


class Bounds(unittest.TestCase):
    def test_bounds_are_the_same(self):
        for kind, path, node in spec_nodes():
            if is_quantity(node) or path in DIFFERENCES or path == "spec.workload":
                continue
            wrong = 7 if node["type"] in ("string", "boolean") else "seven"
            with self.subTest(kind=kind, path=path):
                self.assertEqual(stated(node), parser_probe.allowed(kind, path, wrong))

    def test_seconds_have_the_same_upper_bound(self):
        for kind, path, node in spec_nodes():
            if DIFFERENCES.get(path) == WHOLE:
                with self.subTest(kind=kind, path=path):
                    self.assertEqual((node["type"], node["minimum"]), ("integer", 1))
                    self.assertEqual(stated(node)[1], parser_probe.allowed(kind, path, "seven")[1])

    def test_quantities_are_refused_alike(self):
        for kind, path, node in spec_nodes():
            if not is_quantity(node) or path in DIFFERENCES:
                continue
            least = node["minimum"]
            for value, amount in QUANTITIES:
                good = amount is not None and amount >= least
                with self.subTest(path=path, value=value):
                    accepted, said = parser_probe.ask(parser_probe.manifest(kind, path, value))
                    self.assertEqual(accepted, good, said)
                    # A schema compares numbers; amounts of texts are for a rule in CEL.
                    is_well_formed = amount is not None or value in TOO_LARGE
                    self.assertEqual(not list(crd_schema.violations(value, node)),
                                     good if isinstance(value, int) else is_well_formed)

    def test_lists_that_must_not_be_empty(self):
        for kind, path, node in spec_nodes():
            if node.get("minItems") is None or path in DIFFERENCES:
                continue
            with self.subTest(kind=kind, path=path):
                self.assertIn(path.replace("[]", "[0]") + ": must",
                              parser_probe.complaint(kind, path, []))

    def test_differences_are_still_there(self):
        paths = {path for _, path, _ in spec_nodes()}
        self.assertLessEqual(set(DIFFERENCES), paths)

    def test_exponential_may_be_an_object_for_the_parser_only(self):
        """A structural schema cannot allow a number or an object; see docs/crd-reference.md."""
        path = "spec.workload.synthetic.cost.exponential"
        accepted, said = parser_probe.ask(parser_probe.manifest("WeightedJob", path, {"mean": 1}))
        self.assertTrue(accepted, said)


class Manifests(unittest.TestCase):
    @staticmethod
    def resumed(case):
        """A suspended job is refused as a whole, so only cases about suspend keep that."""
        if case.manifest.get("spec", {}).get("suspend") is True:
            del case.manifest["spec"]["suspend"]
        return case.manifest

    def test_valid_ones_are_accepted(self):
        for case in tables.valid():
            with self.subTest(case.name):
                accepted, said = parser_probe.ask(self.resumed(case))
                self.assertEqual(accepted, case.parser == "accepts", said)

    def test_invalid_ones_are_refused_for_the_same_field(self):
        for case in tables.invalid():
            with self.subTest(case.name):
                accepted, said = parser_probe.ask(self.resumed(case))
                self.assertEqual(accepted, case.parser == "accepts", said)
                if not accepted:
                    self.assertIn(case.evenkeel_says, said)


if __name__ == "__main__":
    unittest.main()
