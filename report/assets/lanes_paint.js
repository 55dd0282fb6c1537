'use strict';

/** Draws the lanes as they are now, and notes in `lanes.marks` what can be pointed at beside bars. */
class LanesPainter {
  static COLOURS = ['card', 'ink', 'soft', 'idle', 'planned', 'stolen', 'copy', 'stage', 'master', 'lost', 'joined', 'bound'];

  constructor(lanes) {
    this.lanes = lanes;
    this.context = lanes.canvas.getContext('2d');
    this.colours = Object.fromEntries(LanesPainter.COLOURS.map((name) => [name, themeColour(name)]));
  }

  paint() {
    const c = this.context;
    this.lanes.marks = [];
    c.setTransform(this.lanes.density, 0, 0, this.lanes.density, 0, 0);
    c.clearRect(0, 0, this.lanes.width, this.lanes.height);
    c.save();
    c.beginPath();
    c.rect(this.lanes.left, 0, this.lanes.width - this.lanes.left, this.lanes.height);
    c.clip();
    this.drawStrips();
    if (this.lanes.cells) new CellsPainter(this).paint(); else this.drawBars();
    this.drawStages();
    this.drawMasters();
    this.drawMoves();
    this.drawComings();
    c.restore();
    this.drawFrame();
    this.drawEnds();
    this.drawNames();
  }

  drawStrips() {
    const start = this.lanes.x(0);
    const startup = this.lanes.x(this.lanes.summary.startupSeconds || 0);
    for (const i of this.lanes.visibleLanes()) {
      const {y, height} = this.lanes.lane(i);
      this.context.fillStyle = this.colours.idle;
      this.context.fillRect(this.lanes.left, y, this.lanes.width - this.lanes.left, height);
      if (startup > start) this.hatch(start, y, startup - start, height, this.colours.soft, 5);
    }
  }

  drawBars() {
    const c = this.context;
    for (const i of this.lanes.visibleLanes()) {
      for (const bar of this.lanes.barsOf[this.lanes.order[i]]) {
        if (bar.end < this.lanes.from || bar.start > this.lanes.to) continue;
        const {x, y, width, height} = this.lanes.barBox(bar);
        const seam = width > 5 ? 1 : 0;  // so that neighbors are distinguishable
        c.fillStyle = this.colours[bar.kind];
        c.fillRect(x, y, width - seam, height);
        if (bar.kind === 'copy') this.hatch(x, y, width - seam, height, this.colours.card, 4);
      }
    }
  }

  /** Slanting lines, `gap` apart; the second sign beside colour. */
  hatch(x, y, width, height, colour, gap) {
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(x, y, width, height);
    c.clip();
    c.strokeStyle = colour;
    c.lineWidth = 1;
    c.globalAlpha = 0.65;
    c.beginPath();
    const from = Math.max(x, this.lanes.left - gap);
    for (let s = from - height; s < Math.min(x + width, this.lanes.width); s += gap) {
      c.moveTo(s, y + height);
      c.lineTo(s + height, y);
    }
    c.stroke();
    c.restore();
  }

  /** Out of sight if the worker is not among those chosen. */
  laneOf(worker) {
    const position = this.lanes.position[this.lanes.laneOf.get(worker)] ?? -1;
    return position < 0 ? {y: -1000, height: 1} : this.lanes.lane(position);
  }

  drawStages() {
    const c = this.context;
    const bottom = this.lanes.height - this.lanes.bottom + 4;
    this.lanes.stages.forEach((stage, i) => {
      const x = this.lanes.x(stage.start);
      const width = this.lanes.x(stage.end) - x;
      if (i % 2 === 0) {
        c.fillStyle = this.colours.stage;
        c.fillRect(x, 22, width, bottom - 22);
      }
      c.fillStyle = this.colours.soft;
      c.fillRect(x, 22, 1, bottom - 22);
      c.font = this.lanes.labelFont;
      const label = 'stage ' + stage.detail;
      const short = c.measureText(label).width + 8 < width ? label : stage.detail;
      if (c.measureText(short).width + 4 < width) c.fillText(short, x + 4, 35);
      this.lanes.marks.push({x: x + width / 2, y: 30, reach: Math.max(8, width / 2), title: 'Stage ' + stage.detail,
                       lines: [this.lanes.span(stage.start, stage.end)]});
    });
  }

  drawMasters() {
    for (const event of this.lanes.events) {
      if (event.kind !== 'master') continue;
      const {y, height} = this.laneOf(event.worker);
      const x = this.lanes.x(event.start);
      const width = this.lanes.x(event.end) - x;
      this.hatch(x, y, width, height, this.colours.master, 6);
      this.context.font = this.lanes.labelFont;
      if (width > 60 && height > 14) this.tag('master', x + 8, y + height / 2);
    }
  }

  tag(text, x, y) {
    const c = this.context;
    c.fillStyle = this.colours.idle;
    c.fillRect(x - 3, y - 8, c.measureText(text).width + 6, 16);
    c.fillStyle = this.colours.ink;
    c.fillText(text, x, y + 4);
  }

  /** A line from the lane that gave to the lane that took, with a dot at the latter. */
  drawMoves() {
    const moves = this.lanes.events.filter((e) => e.kind === 'move' && e.start >= this.lanes.from && e.start <= this.lanes.to);
    if (this.lanes.workers.length > Lanes.FEW) return;
    const c = this.context;
    const alpha = moves.length > 80 ? 0.35 : 0.8;
    for (const move of moves) {
      const from = this.laneOf(move.from);
      const to = this.laneOf(move.worker);
      const down = to.y > from.y;
      const x = this.lanes.x(move.start);
      const tip = down ? to.y : to.y + to.height;
      c.globalAlpha = alpha;
      c.strokeStyle = c.fillStyle = this.colours.ink;
      c.lineWidth = 1.25;
      c.setLineDash(move.detail === 'leased' ? [3, 2] : []);
      c.beginPath();
      c.moveTo(x, down ? from.y + from.height : from.y);
      c.lineTo(x, tip);
      c.stroke();
      c.setLineDash([]);
      c.beginPath();
      c.arc(x, tip, 3, 0, 2 * Math.PI);
      c.fill();
      c.globalAlpha = 1;
      this.lanes.marks.push({x, y: tip, reach: 6, title: `${Format.plural(move.tasks, 'task')} moved`,
                       lines: [`${move.from} → ${move.worker}, ${move.detail}`, 'at ' + Format.seconds(move.start)]});
    }
  }

  drawComings() {
    const c = this.context;
    for (const event of this.lanes.events) {
      if (event.kind !== 'lost' && event.kind !== 'joined') continue;
      const {y, height} = this.laneOf(event.worker);
      const x = this.lanes.x(event.start);
      const r = Math.min(7, Math.max(4, height / 2));
      const middle = y + height / 2;
      const lost = event.kind === 'lost';
      c.fillStyle = this.colours[event.kind];
      c.fillRect(x - 1, y - 2, 2, height + 4);
      c.beginPath();
      c.arc(x, middle, r, 0, 2 * Math.PI);
      c.fill();
      c.strokeStyle = this.colours.card;
      c.lineWidth = 1.6;
      const d = r * 0.45;
      const sign = lost ? [[-d, -d, d, d], [-d, d, d, -d]] : [[-d, 0, d, 0], [0, -d, 0, d]];
      c.beginPath();
      for (const [x1, y1, x2, y2] of sign) {
        c.moveTo(x + x1, middle + y1);
        c.lineTo(x + x2, middle + y2);
      }
      c.stroke();
      this.lanes.marks.push({x, y: middle, reach: 8, title: event.worker, lines: [`${event.kind} at ${Format.seconds(event.start)}`]});
    }
  }

  /** The time axis, above the lanes so that it stays in sight; lanes that scroll pass under it. */
  drawFrame() {
    const c = this.context;
    c.fillStyle = this.colours.card;
    c.fillRect(0, 0, this.lanes.width, this.lanes.stages.length > 0 ? 20 : 24);
    c.fillRect(0, this.lanes.height - this.lanes.bottom + 5, this.lanes.width, this.lanes.bottom);
    c.font = this.lanes.labelFont;
    const room = Math.max(2, Math.floor((this.lanes.width - this.lanes.left) / (this.lanes.width < 600 ? 60 : 90)));
    const rough = (this.lanes.to - this.lanes.from) / room;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = rough > 60 ? 60 * Math.ceil(rough / 60) : [1, 2, 5, 10].find((m) => m * power >= rough) * power;
    for (let k = Math.ceil(this.lanes.from / step); k * step <= this.lanes.to; ++k) {
      const x = this.lanes.x(k * step);
      const text = Format.tick(k * step, step, this.lanes.whole);
      const width = c.measureText(text).width;
      c.fillStyle = this.colours.soft;
      c.fillText(text, Math.min(this.lanes.width - width, Math.max(this.lanes.left, x - width / 2)), 13);
      c.fillRect(x, 17, 1, 4);
    }
  }

  /** Where the run ended, and where no schedule could have ended it sooner. */
  drawEnds() {
    const c = this.context;
    const bottom = this.lanes.height - this.lanes.bottom;
    const ends = [
      {at: this.lanes.summary.lowerBoundSeconds, text: 'lower bound ', colour: 'bound', dash: [5, 3]},
      {at: this.lanes.summary.makespanSeconds, text: this.lanes.summary.state === 'Running' ? 'now ' : 'end ', colour: 'ink', dash: []},
    ];
    const {now} = this.lanes;
    if (now?.etaSeconds > 0) ends.push({at: now.elapsedSeconds + now.etaSeconds, text: 'predicted end ', colour: 'ink', dash: [2, 3]});
    ends.sort((a, b) => a.at - b.at);  // a label ends at its line, so no later line crosses it
    for (const [row, {at, text, colour, dash}] of ends.entries()) {
      if (!(at > 0) || at < this.lanes.from || at > this.lanes.to) continue;
      const x = this.lanes.x(at);
      const label = text + Format.seconds(at);
      this.upright(x, bottom + 4, this.colours.card, 4, []);  // sets the line off from the bars
      this.upright(x, bottom + 10 + 14 * row, this.colours[colour], 1.75, dash);
      c.fillStyle = this.colours[colour];
      const width = c.measureText(label).width;
      c.fillText(label, Math.max(this.lanes.left, x - 5 - width), bottom + 17 + 15 * row);
    }
  }

  upright(x, bottom, colour, width, dash) {
    const c = this.context;
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.setLineDash(dash);
    c.beginPath();
    c.moveTo(x, 20);
    c.lineTo(x, bottom);
    c.stroke();
    c.setLineDash([]);
  }

  drawNames() {
    const c = this.context;
    c.font = this.lanes.labelFont;
    c.fillStyle = this.colours.ink;
    for (const i of this.lanes.visibleLanes()) {
      const {y, height} = this.lanes.lane(i);
      const middle = y + height / 2;
      if (middle < this.lanes.top - 4 || middle > this.lanes.height - this.lanes.bottom + 4) continue;
      let name = this.lanes.workers[this.lanes.order[i]];
      while (name.length > 2 && c.measureText(name).width > this.lanes.left - 8) name = name.slice(0, -2) + '…';
      c.fillText(name, 0, middle + 4);
    }
  }
}
