"""Reference schedules of indivisible tasks on unequal nodes, computed greedily."""

import heapq


def greedy_makespan(costs, speeds):
    """Assigns the largest task first, each to the node that would end it earliest. Costs are in seconds at speed 1.

    Returns seconds. Not always optimal, but with many tasks within a fraction of a percent of the lower bound.
    """
    loads = [0.0] * len(speeds)
    for cost in sorted(costs, reverse=True):
        node = min(range(len(speeds)), key=lambda n: loads[n] + cost / speeds[n])
        loads[node] += cost / speeds[node]
    return max(loads)


def pull_makespan(costs, speeds):
    """Plain pull without overhead: the node that is free first takes the next task in index order."""
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
    """max(total work / sum of speeds, longest task / highest speed)"""
    return max(sum(costs) / sum(speeds), max(costs) / max(speeds))
