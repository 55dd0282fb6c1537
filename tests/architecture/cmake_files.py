"""Reads what the CMakeLists.txt files say about targets: enough for this project, not for any."""

import dataclasses
import posixpath
import re

KEYWORDS = {"SOURCES", "DEPENDS", "PRIVATE_DEPENDS", "PUBLIC", "PRIVATE", "INTERFACE", "STATIC"}


@dataclasses.dataclass
class Target:
    name: str      # as CMake knows it, without an alias' namespace
    listed_in: str
    sources: list  # paths from the root of the project
    links: list    # names of targets as written


def calls(text):
    """(command, arguments) for each command; arguments split at blanks, quotes kept."""
    bare = re.sub(r"#[^\n]*", "", text)
    for match in re.finditer(r"(\w+)\s*\(([^()]*)\)", bare):
        yield match.group(1).lower(), match.group(2).split()


def by_keyword(arguments):
    """Arguments grouped under the keyword before them; those before any keyword under ''."""
    groups, current = {"": []}, ""
    for argument in arguments:
        if argument in KEYWORDS:
            current = argument
            groups.setdefault(current, [])
        else:
            groups[current].append(argument)
    return groups


def own_name(name):
    """evenkeel::x and evenkeel_x are the same target."""
    return name.replace("evenkeel::", "evenkeel_")


def targets(tree):
    """The targets of all CMakeLists.txt in the tree."""
    found = {}
    for path, text in tree.items():
        if posixpath.basename(path) != "CMakeLists.txt":
            continue
        folder = posixpath.dirname(path)
        for command, arguments in calls(text):
            read_call(found, path, folder, command, arguments)
    return list(found.values())


def read_call(found, path, folder, command, arguments):
    if not arguments:
        return
    groups = by_keyword(arguments)
    if command == "evenkeel_library":
        name, sources = "evenkeel_" + arguments[0], groups.get("SOURCES", [])
        links = groups.get("DEPENDS", []) + groups.get("PRIVATE_DEPENDS", [])
    elif command.startswith("evenkeel_") and "SOURCES" in groups:
        name, sources = arguments[0] + "_test", groups["SOURCES"]
        links = groups.get("DEPENDS", [])
    elif command in ("add_library", "add_executable") and "ALIAS" not in arguments:
        name, links = arguments[0], []
        sources = [word for word in arguments[1:] if word not in KEYWORDS]
    elif command == "target_link_libraries":
        name, sources, links = own_name(arguments[0]), [], [
            word for word in arguments[1:] if word not in KEYWORDS]
    else:
        return
    if "$" in name:
        return
    target = found.setdefault(name, Target(name, path, [], []))
    target.sources += [posixpath.normpath(posixpath.join(folder, source))
                       for source in sources if "$" not in source]
    target.links += [own_name(link) for link in links]
