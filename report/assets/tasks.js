'use strict';

/** What a job says of its tasks, and what its run has found out: hidden where there is nothing to say. */
class TaskFacts {
  constructor() {
    this.box = document.getElementById('tasks');
    this.list = this.box.querySelector('dl');
  }

  setData({summary, now}) {
    const rows = [
      ...(summary.taskNotes ?? []).map(({name, text}) => [name, [text, ...TaskFacts.found(name, summary, now)]]),
      ['failed attempts', TaskFacts.failures(summary.failedAttempts)],
      ['alone', TaskFacts.alone(summary.alone)],
    ].filter(([, texts]) => texts.length > 0);
    const look = JSON.stringify(rows);
    if (look === this.look) return;
    this.look = look;
    this.box.hidden = rows.length === 0;
    this.list.replaceChildren(...rows.flatMap(([name, [text, ...found]]) => {
      const cell = element('dd', '', text);
      cell.append(...found.map((line) => element('p', '', line)));
      return [element('dt', '', name[0].toUpperCase() + name.slice(1)), cell];
    }));
    const there = {slots: summary.nodes.some((n) => n.slots !== undefined), ranges: summary.nodes.some((n) => n.ranges)};
    for (const word of document.querySelectorAll('[data-word]')) word.hidden = !there[word.dataset.word];
  }

  /** Lines about what was measured, below the note of that name. */
  static found(name, {costs, nodes, tasks}, now) {
    if (name === 'costs' && costs) return [TaskFacts.trust(costs), TaskFacts.unit(costs, nodes)].filter(Boolean);
    if (name === 'ranges') return [TaskFacts.ranges(nodes, tasks, now)];
    if (name === 'needs of each') return [TaskFacts.slots(nodes)].filter(Boolean);
    return [];
  }

  static trust({use, slope, slopeSigma, timeSigma}) {
    const measured = Number.isFinite(slope) ? `log(time) rises by ${slope.toFixed(2)} ± ${slopeSigma.toFixed(2)} with log(cost)` : '';
    const scale = '1: costs are exact, 0: they say nothing';
    const spread = timeSigma > 0 ? `; times differ from what follows by a factor of ${Math.exp(timeSigma).toFixed(2)}` : '';
    switch (use) {
      case 'Used': return `In use: ${measured ? `${measured} (${scale})${spread}` : 'too little is measured to judge them'}.`;
      case 'Noise': return `Not used any more: ${measured || 'times do not follow them'} (${scale}). All tasks count as equal.`;
      case 'IndexIsBetter': return 'Not used any more: times follow the index of a task more closely.';
      default: return 'Not known: all tasks count as equal.';
    }
  }

  /** Rates are those of all threads of a node together. */
  static unit({use, unit, unitSize}, nodes) {
    const timed = nodes.filter((n) => n.rate > 0 && n.threads > 0).map((n) => [unitSize * n.threads / n.rate, n.name]);
    if (use !== 'Used' || timed.length === 0) return '';
    timed.sort(([a], [b]) => a - b);
    const [fastest, slowest] = [timed[0], timed[timed.length - 1]].map(([seconds, name]) => `${Number(seconds.toPrecision(3))} s on ${name}`);
    return `${unit} takes ${fastest}${timed.length > 1 ? ` to ${slowest}` : ''}.`;
  }

  static ranges(nodes, tasks, now) {
    const sum = (field) => nodes.reduce((all, n) => all + (n.ranges?.[field] ?? 0), 0);
    const runs = sum('running');
    const cuttable = sum('cuttable');
    const can = cuttable > 0 ? `${Format.count(cuttable)} of them can be cut` : 'none of them has reported progress, so none can be cut';
    return [
      `${Format.count(tasks.completed)} of ${Format.plural(tasks.total, 'task')} are done`,
      now && runs > 0 && `${runs === 1 ? '1 run goes' : Format.count(runs) + ' runs go'} on, ${can}`,
      `${Format.count(sum('cut'))} were cut so far`,
    ].filter(Boolean).join('; ') + '.';
  }

  static slots(nodes) {
    const known = nodes.filter((n) => n.slots > 0);
    const all = known.reduce((sum, n) => sum + n.slots, 0);
    return all > 0 ? `${Format.plural(all, 'slot')} on ${Format.plural(known.length, 'node')}.` : '';
  }

  static failures(failed) {
    if (!failed) return [];
    const memory = failed.outOfMemory > 0 ? `, of which ${Format.count(failed.outOfMemory)} ran out of memory` : '';
    const lines = [Format.count(failed.total) + memory];
    if (memory) lines.push('A task that ran out of memory runs again alone on its node, then alone on the node with the most memory, then it fails for good.');
    return [...lines, `The latest: ${failed.latest}`];
  }

  static alone(alone) {
    if (!alone) return [];
    const verb = alone.running === 1 ? 'runs' : 'run';
    return [
      `${Format.plural(alone.running, 'task')} ${verb} alone on a node, ${Format.count(alone.waiting)} ${alone.waiting === 1 ? 'waits' : 'wait'} for it`,
      'Such tasks ran out of memory, or may have ended the worker or node that ran them.',
    ];
  }
}
