"""Every WeightedJob and WeightingPolicy in examples/ and in the manual conforms to its schema."""

import re
import unittest

import yaml

import crd_schema

API_VERSION = f"{crd_schema.GROUP}/v1alpha1"
FENCE = re.compile(r"^```ya?ml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def ours(documents):
    return [document for document in documents
            if isinstance(document, dict) and document.get("apiVersion") == API_VERSION]


def in_examples():
    for path in sorted((crd_schema.ROOT / "examples").rglob("*.yaml")):
        for document in ours(yaml.safe_load_all(path.read_text(encoding="utf-8"))):
            yield path.relative_to(crd_schema.ROOT), document


def in_the_manual():
    for path in sorted((crd_schema.ROOT / "docs").glob("*.md")):
        for block in FENCE.findall(path.read_text(encoding="utf-8")):
            for document in ours(yaml.safe_load_all(block)):
                yield path.relative_to(crd_schema.ROOT), document


class Examples(unittest.TestCase):
    def conform(self, found):
        for path, document in found:
            with self.subTest(path=str(path), name=document["metadata"]["name"]):
                schema = crd_schema.schemas()[document["kind"]]
                self.assertEqual(list(crd_schema.violations(document, schema)), [])

    def test_examples_conform(self):
        found = list(in_examples())
        self.assertGreaterEqual(len(found), 6)
        self.conform(found)

    def test_the_manual_conforms(self):
        found = list(in_the_manual())
        self.assertGreaterEqual(len(found), 1)
        self.conform(found)


if __name__ == "__main__":
    unittest.main()
