"""Prints the labels of one board, a line each, from a list of nodes in JSON on the standard input.

Usage: board_labels.py NAME [--must-exist]. An unknown board has no labels, or is an error.
"""

import json
import sys

# The kubelet knows these better: it runs here, and not on the board.
KUBELETS_OWN = {"kubernetes.io/arch", "kubernetes.io/hostname", "kubernetes.io/os"}


def boards(text):
    """The nodes of a List, or of several documents one after the other, which kubectl prints."""
    decoder, place = json.JSONDecoder(), 0
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        document, place = decoder.raw_decode(text, place)
        yield from document.get("items", [document])


def main():
    name, must_exist = sys.argv[1], "--must-exist" in sys.argv[2:]
    labels = {board["metadata"]["name"]: board["metadata"].get("labels", {})
              for board in boards(sys.stdin.read())}
    if must_exist and name not in labels:
        sys.exit(f"there is no board {name} in examples/nodes/pi-trio.yaml; there are: {' '.join(labels)}")
    for key, value in labels.get(name, {}).items():
        if key not in KUBELETS_OWN:
            print(f"{key}={value}")


if __name__ == "__main__":
    main()
