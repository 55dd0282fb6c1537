'use strict';

/** Draws the lanes of a run that goes on: a cell is as high as the part of the node that was busy. */
class CellsPainter {
  constructor(painter) {
    this.painter = painter;
    this.lanes = painter.lanes;
  }

  /** Equal neighbours at once. */
  paint() {
    const {step, lanes} = this.lanes.cells;
    const now = this.lanes.now.elapsedSeconds;
    for (const i of this.lanes.visibleLanes()) {
      const worker = this.lanes.order[i];
      const {y, height} = this.lanes.lane(i);
      this.drawOpen(this.lanes.summary.nodes[worker], y, height);
      const lane = lanes[worker] ?? [];
      // Data newer than the other figures is held back until they arrive.
      const last = Math.min(lane.length, Math.ceil(Math.min(this.lanes.to, now) / step));
      for (let first = Math.max(0, Math.floor(this.lanes.from / step)), next; first < last; first = next) {
        const parts = Lanes.partsOf(lane[first]);
        for (next = first + 1; next < last && this.same(parts, Lanes.partsOf(lane[next])); ++next);
        if (lane[first] === 0) continue;
        const x = this.onPixel(this.lanes.x(first * step));
        this.drawCell(parts, x, y, Math.max(1, this.onPixel(this.lanes.x(Math.min(next * step, now))) - x), height);
      }
    }
  }

  same(a, b) {
    return a.planned === b.planned && a.stolen === b.stolen && a.copy === b.copy;
  }

  /** So that there is no seam between neighbours. */
  onPixel(x) {
    return Math.round(x * this.lanes.density) / this.lanes.density;
  }

  drawCell(parts, x, y, width, height) {
    let bottom = y + height;
    for (const kind of ['planned', 'stolen', 'copy']) {
      const part = height * parts[kind];
      if (part === 0) continue;
      bottom -= part;
      this.painter.context.fillStyle = this.painter.colours[kind];
      this.painter.context.fillRect(x, bottom, width, part);
      if (kind === 'copy') this.painter.hatch(x, bottom, width, part, this.painter.colours.card, 4);
    }
  }

  /** What a node has not reported yet. */
  drawOpen(node, y, height) {
    if (node.state !== 'busy') return;
    const {summary, now} = this.lanes;
    const x = this.lanes.x(Math.max(node.finishSeconds || 0, summary.startupSeconds || 0));
    const width = this.lanes.x(now.elapsedSeconds) - x;
    if (width > 1) this.painter.hatch(x, y, width, height, this.painter.colours.planned, 5);
  }
}
