"""Prints the labels of one board, a line each, from a list of nodes in JSON on the standard input.

Usage: board_labels.py NAME
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
    for board in boards(sys.stdin.read()):
        if board["metadata"]["name"] == sys.argv[1]:
            for key, value in board["metadata"].get("labels", {}).items():
                if key not in KUBELETS_OWN:
                    print(f"{key}={value}")


if __name__ == "__main__":
    main()
