'use strict';

/** What the answers to /live.json add up to, in the form in which the page draws it. */
class LiveData {
  static DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  static VALUE = new Map([...LiveData.DIGITS].map((digit, value) => [digit, value]));
  static STATES = {b: 'busy', i: 'idle', o: 'alone', a: 'away', l: 'lost'};
  static MOST_EVENTS = 2000;

  constructor() {
    this.forget();
  }

  forget() {
    this.at = '';
    this.nodes = [];
    this.lanes = [];
    this.events = [];
  }

  /** Takes an answer with the fields of docs/live-page.md; those of a run may be missing. */
  take(answer) {
    if (answer.at === undefined) return;
    if (answer.whole) this.forget();
    this.at = answer.at;
    for (const [number, fixed, now] of answer.nodes) this.takeNode(number, fixed, now);
    for (const [number, first, text] of answer.timeline.lanes) this.takeLane(number, first, text);
    this.events.push(...answer.timeline.events);
    if (this.events.length > LiveData.MOST_EVENTS) this.events = this.events.filter((_, i) => i % 2 === 0);
    this.last = answer;
  }

  takeNode(number, fixed, now) {
    const node = this.nodes[number] ??= {};
    if (fixed) {
      const [name, weight, ratio, share, threads, declared, slotLimit] = fixed;
      Object.assign(node, {name, weight, ratio, share, threads, declaredSpeed: declared ?? undefined});
      if (slotLimit !== undefined) Object.assign(node, {slots: threads, slotLimit});
    }
    if (now) {
      const [state, completed, stolenIn, stolenOut, busySeconds, rate, finishSeconds, predictedFinishSeconds, ranges, data] = now;
      Object.assign(node, {state: LiveData.STATES[state], completed, stolenIn, stolenOut, busySeconds, rate, finishSeconds, predictedFinishSeconds});
      if (ranges) node.ranges = LiveData.rangesOf(ranges);
      if (data) [node.dataWaitSeconds, node.fetchedBytes, node.fetchSeconds] = data;
    }
  }

  static rangesOf([startupSeconds, perTaskSeconds, running, cuttable, cut]) {
    return {startupSeconds, perTaskSeconds, running, cuttable, cut};
  }

  /** A cell is a number of 12 bits: four each for planned, stolen and copied. */
  takeLane(number, first, text) {
    const lane = this.lanes[number] ??= [];
    while (lane.length < first) lane.push(0);
    lane.length = first;
    for (let i = 0; i < text.length; i += 2) {
      lane.push(LiveData.VALUE.get(text[i]) << 6 | LiveData.VALUE.get(text[i + 1]));
    }
  }

  /** For Report.render; nothing while there is no run to show. */
  data() {
    if (!this.last || this.nodes.length === 0) return null;
    const {summary, now, timeline, state, reason, caughtUp} = this.last;
    return {
      now,
      summary: {...summary, state, reason: reason || summary.reason, nodes: this.nodes, makespanSeconds: now.elapsedSeconds},
      timeline: {
        workers: this.nodes.map((node) => node.name), tracks: this.nodes.map(() => 1), bars: [],
        cells: {step: timeline.step, lanes: this.lanes}, events: this.events, progress: timeline.progress,
        caughtUp,
      },
      charts: [],
    };
  }
}
