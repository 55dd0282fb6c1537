"""The labels that say what a board is, changed for a while."""

import contextlib

import kube

PREFIX = "hardware.evenkeel.dev/"


def _label(node, facts):
    kube.kubectl("label", "node", node, "--overwrite",
                 *(f"{PREFIX}{fact}={value}" if value is not None else f"{PREFIX}{fact}-"
                   for fact, value in facts.items()))


@contextlib.contextmanager
def changed(facts_by_node):
    """{node: {"model": "raspberry-pi-4b", "power-watts": None}}: None takes a label away."""
    with contextlib.ExitStack() as after:
        for node, facts in facts_by_node.items():
            known = kube.get("node", node)["metadata"]["labels"]
            after.callback(_label, node, {fact: known.get(PREFIX + fact) for fact in facts})
            _label(node, facts)
        yield
