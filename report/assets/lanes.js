'use strict';

/**
 * The timeline: one lane a worker, drawn on a canvas; here what lies where, in lanes_paint.js how it looks. The canvas is as high as what is visible and
 * stays put while its box scrolls, so a thousand lanes cost no more than those in sight.
 */
class Lanes {
  static MAX_HEIGHT = 560;
  static FEW = 16;  // up to so many lanes, single moves are drawn

  constructor(box) {
    this.box = box;
    this.space = box.firstElementChild;
    this.canvas = box.querySelector('canvas');
    this.maxHeight = Lanes.MAX_HEIGHT;
    this.compact = false;  // for several timelines below each other
    this.leastEnd = 0;     // the axis goes so far at least
  }

  /**
   * `timeline`, `summary` and `now` as in the page's data; `order` has the numbers of the workers to show. Keeps the zoom
   * if there was one.
   */
  setData(timeline, summary, order, now) {
    const zoomed = this.whole && (this.from > 0 || this.to < this.whole);
    this.now = now;
    this.cells = timeline.cells;
    this.setOrder(order, timeline.workers.length);
    this.workers = timeline.workers;
    this.tracks = timeline.tracks;
    this.summary = summary;
    this.events = timeline.events;
    this.laneOf = new Map(this.workers.map((name, i) => [name, i]));
    this.bars = timeline.bars.map(([worker, track, kind, start, end, begin, last, tasks, ranges, busy]) =>
        ({worker, track, kind, start, end, begin, last, tasks, ranges, busy}));
    this.barsOf = this.workers.map(() => []);
    for (const bar of this.bars) this.barsOf[bar.worker].push(bar);
    const ends = this.bars.map((bar) => bar.end);
    const end = 1.015 * Math.max(1e-3, this.leastEnd, summary.makespanSeconds || 0, ends.reduce((a, b) => Math.max(a, b), 0));
    this.whole = now ? this.wholeOf(now, end) : end;
    if (!zoomed) this.show(0, this.whole);
    this.layout();
  }

  /** A run that goes on is shown up to its predicted end, but the scale follows no small change of that. */
  wholeOf(now, end) {
    const wanted = Math.max(end, 1.05 * (now.elapsedSeconds + (now.etaSeconds || 0)));
    const good = this.whole >= end && this.whole > 0.9 * wanted && this.whole < 1.25 * wanted;
    return good ? this.whole : 1.05 * wanted;
  }

  setOrder(order, workers) {
    this.order = order;
    this.position = Array(workers).fill(-1);
    order.forEach((worker, at) => { this.position[worker] = at; });
  }

  /** Shows other workers, or in another order. */
  choose(order) {
    this.setOrder(order, this.workers.length);
    this.box.scrollTop = 0;
    this.layout();
  }

  /** Shows [from, to] seconds, kept inside the run and not shorter than a thousandth of it. */
  show(from, to) {
    const span = Math.min(this.whole, Math.max(this.whole / 1000, to - from));
    this.from = Math.max(0, Math.min(from, this.whole - span));
    this.to = this.from + span;
  }

  layout() {
    const n = this.order.length;
    const height = n <= 6 ? 44 : n <= Lanes.FEW ? 30 : n <= 60 ? 16 : 13;
    const gap = n <= 6 ? 14 : n <= Lanes.FEW ? 8 : 3;
    this.laneHeight = this.compact ? Math.max(13, Math.round(0.6 * height)) : height;
    this.laneGap = this.compact ? Math.max(3, Math.round(0.5 * gap)) : gap;
    this.stages = this.events.filter((e) => e.kind === 'stage');
    this.top = this.stages.length > 0 ? 42 : 26;
    this.bottom = this.now ? 53 : 38;  // room for a label a line
    const total = this.top + n * this.laneHeight + this.bottom;
    this.width = this.box.clientWidth;
    this.height = Math.min(total, this.maxHeight);
    this.space.style.height = total + 'px';
    const density = window.devicePixelRatio || 1;
    this.canvas.style.height = this.height + 'px';
    this.canvas.width = Math.round(this.width * density);
    this.canvas.height = Math.round(this.height * density);
    this.canvas.dataset.lanes = n;
    this.density = density;
    this.marks = [];
    this.labelFont = `${n > 60 ? 10 : 12}px ${getComputedStyle(document.body).fontFamily}`;
    const context = this.canvas.getContext('2d');
    context.font = this.labelFont;
    const widest = this.workers.slice(0, 200).reduce((w, name) => Math.max(w, context.measureText(name).width), 0);
    this.left = Math.ceil(Math.min(widest + 12, this.width * 0.24));
    this.draw();
  }

  /** Whether there are more lanes than fit. */
  overflows() {
    return this.space.offsetHeight > this.height;
  }

  x(seconds) {
    return this.left + (seconds - this.from) / (this.to - this.from) * (this.width - this.left);
  }
  seconds(x) {
    return this.from + (x - this.left) / (this.width - this.left) * (this.to - this.from);
  }
  /** Where the strip of the lane at a place in the order lies on the canvas. */
  lane(i) {
    const y = this.top + i * this.laneHeight + this.laneGap / 2 - this.box.scrollTop;
    return {y, height: this.laneHeight - this.laneGap};
  }
  barBox(bar) {
    const {y, height} = this.lane(this.position[bar.worker]);
    const track = height / this.tracks[bar.worker];
    const x = this.x(bar.start);
    return {x, y: y + bar.track * track, width: Math.max(1, this.x(bar.end) - x), height: track};
  }
  visibleLanes() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / this.laneHeight) - 1);
    const last = Math.min(this.order.length, first + Math.ceil(this.height / this.laneHeight) + 2);
    return Array.from({length: Math.max(0, last - first)}, (_, i) => first + i);
  }

  draw() {
    new LanesPainter(this).paint();
  }

  /** Parts of 1: {planned, stolen, copy}. Moments between two ranges make no cell less than full. */
  static partsOf(cell) {
    const levels = [cell >> 8, cell >> 4 & 15, cell & 15];
    const sum = levels[0] + levels[1] + levels[2];
    const [planned, stolen, copy] = levels.map((level) => level / (sum >= 13 ? sum : 15));
    return {planned, stolen, copy};
  }

  cellAt(worker, seconds) {
    const node = this.summary.nodes[worker];
    const parts = Lanes.partsOf(this.cells.lanes[worker]?.[Math.floor(seconds / this.cells.step)] ?? 0);
    const busy = Object.entries(parts).filter(([, part]) => part > 0).map(([kind, part]) => `${Format.percent(part, 0)} ${kind}`).join(', ');
    const future = seconds > this.now.elapsedSeconds;
    return {title: node.name, lines: [
      `${node.state}, ${Format.plural(node.completed, 'task')} done, ${Format.number(node.rate)} units/s`,
      `at ${Format.seconds(seconds)}: ${future ? 'to come' : busy || 'nothing reported'}`,
      node.predictedFinishSeconds > 0 ? `its planned share would end at ${Format.seconds(node.predictedFinishSeconds)}` : 'its finish is not known yet',
    ]};
  }

  span(start, end) {
    return `${Format.seconds(start)} to ${Format.seconds(end)} (${Format.seconds(end - start)})`;
  }

  /** What is at a point of the canvas: {title, lines}, or nothing. */
  at(x, y) {
    const mark = this.marks.filter((m) => Math.abs(m.x - x) <= m.reach && Math.abs(m.y - y) <= 8)
        .sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0];
    if (mark) return mark;
    const worker = this.order[Math.floor((y - this.top + this.box.scrollTop) / this.laneHeight)];
    if (x < this.left || y < this.top || y > this.height - this.bottom || !this.barsOf[worker]) return null;
    if (this.cells) return this.cellAt(worker, this.seconds(x));
    const bars = this.barsOf[worker].filter((bar) => {
      const b = this.barBox(bar);
      return x >= b.x - 2 && x <= b.x + b.width + 2 && y >= b.y && y <= b.y + b.height;
    });
    if (bars.length === 0) return {title: this.workers[worker], lines: ['idle at ' + Format.seconds(this.seconds(x))]};
    const bar = bars[bars.length - 1];  // drawn last, so on top
    const tasks = bar.tasks === bar.last - bar.begin ? '' : ' out of';
    return {title: this.workers[worker], lines: [
      `${bar.kind === 'copy' ? 'a copy that finished first' : bar.kind}: ${Format.plural(bar.tasks, 'task')}${tasks}`,
      `[${Format.count(bar.begin)}, ${Format.count(bar.last)})`,
      this.span(bar.start, bar.end),
      `${Format.seconds(bar.busy)} inside tasks` + (bar.ranges > 1 ? `, ${Format.count(bar.ranges)} ranges` : ''),
    ]};
  }
}
