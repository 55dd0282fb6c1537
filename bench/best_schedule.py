"""The yardstick: the shortest schedule of indivisible tasks on unequal nodes that a greedy finds."""

import heapq


def greedy_makespan(costs, speeds):
    """Largest task first, each to the node that would end it earliest; costs and speeds are known.

    Costs in seconds at speed 1. Returns seconds. Not always the very best schedule, but with many
    tasks within a fraction of a percent of the bound that nothing can beat.
    """
    loads = [0.0] * len(speeds)
    for cost in sorted(costs, reverse=True):
        node = min(range(len(speeds)), key=lambda n: loads[n] + cost / speeds[n])
        loads[node] += cost / speeds[node]
    return max(loads)


def pull_makespan(costs, speeds):
    """Plain pull without any overhead: whoever is free takes the next task in index order."""
    free = [(0.0, node) for node in range(len(speeds))]
    heapq.heapify(free)
    end = 0.0
    for cost in costs:
        at, node = heapq.heappop(free)
        at += cost / speeds[node]
        end = max(end, at)
        heapq.heappush(free, (at, node))
    return end


def lower_bound(costs, speeds):
    """Nothing ends before the whole work is shared out, or the longest task is done."""
    return max(sum(costs) / sum(speeds), max(costs) / max(speeds))
