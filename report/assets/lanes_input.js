'use strict';

/** Pointing, zooming and moving along the timeline with mouse, fingers or keys. */
class LanesInput {
  constructor(lanes, tip, buttons) {
    this.lanes = lanes;
    this.tip = tip;
    this.buttons = buttons;
    this.pointers = new Map();
    const canvas = lanes.canvas;
    canvas.addEventListener('pointerdown', (e) => this.down(e));
    canvas.addEventListener('pointermove', (e) => this.move(e));
    for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, (e) => this.pointers.delete(e.pointerId));
    canvas.addEventListener('pointerleave', (e) => e.pointerType === 'mouse' && this.hide());
    canvas.addEventListener('wheel', (e) => this.wheel(e), {passive: false});
    canvas.addEventListener('dblclick', () => this.show(0, lanes.whole));
    canvas.addEventListener('keydown', (e) => this.key(e));
    canvas.addEventListener('blur', () => this.hide());
    lanes.box.addEventListener('scroll', () => { this.hide(); lanes.draw(); });
    for (const button of buttons) button.addEventListener('click', () => this.press(button.dataset.zoom));
    this.updateButtons();
  }

  point(event) {
    const box = this.lanes.canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  down(event) {
    this.pointers.set(event.pointerId, this.point(event));
    if (event.pointerType === 'mouse') this.lanes.canvas.setPointerCapture(event.pointerId);
    this.explain(event);
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return this.explain(event);
    const now = this.point(event);
    const other = [...this.pointers].find(([id]) => id !== event.pointerId);
    const {lanes} = this;
    if (other) {
      const apart = (p) => Math.max(20, Math.abs(p.x - other[1].x));
      this.zoom(apart(before) / apart(now), (now.x + other[1].x) / 2);
    } else if (Math.abs(now.x - before.x) > 0 && lanes.to - lanes.from < lanes.whole) {
      const shift = lanes.seconds(before.x) - lanes.seconds(now.x);
      this.show(lanes.from + shift, lanes.to + shift);
    }
    this.pointers.set(event.pointerId, now);
  }

  wheel(event) {
    if (!event.ctrlKey && !event.shiftKey) return;  // the page scrolls as everywhere
    event.preventDefault();
    const turn = event.deltaY || event.deltaX;
    this.zoom(Math.exp(Math.max(-1, Math.min(1, turn / 200))), this.point(event).x);
  }

  key(event) {
    const {lanes} = this;
    const step = (lanes.to - lanes.from) / 8;
    const actions = {
      'ArrowLeft': () => this.show(lanes.from - step, lanes.to - step),
      'ArrowRight': () => this.show(lanes.from + step, lanes.to + step),
      '+': () => this.press('in'), '=': () => this.press('in'), '-': () => this.press('out'),
      '0': () => this.press('all'), 'Escape': () => this.hide(),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  }

  press(what) {
    if (what === 'all') return this.show(0, this.lanes.whole);
    this.zoom(what === 'in' ? 0.5 : 2, (this.lanes.left + this.lanes.width) / 2);
  }

  /** Makes the shown span `factor` times as long around the time under x. */
  zoom(factor, x) {
    const {lanes} = this;
    const middle = lanes.seconds(x);
    const from = middle - (middle - lanes.from) * factor;
    this.show(from, from + (lanes.to - lanes.from) * factor);
  }

  show(from, to) {
    this.hide();
    this.lanes.show(from, to);
    this.lanes.draw();
    this.updateButtons();
  }

  updateButtons() {
    const all = this.lanes.to - this.lanes.from >= this.lanes.whole;
    for (const button of this.buttons) button.disabled = all && button.dataset.zoom !== 'in';
  }

  explain(event) {
    const {x, y} = this.point(event);
    const found = this.lanes.at(x, y);
    if (!found) return this.hide();
    this.tip.replaceChildren(element('b', '', found.title), ...found.lines.map((line) => element('div', '', line)));
    this.tip.hidden = false;
    const left = Math.min(event.pageX + 14, document.documentElement.clientWidth - this.tip.offsetWidth - 8);
    this.tip.style.left = Math.max(8, left) + 'px';
    this.tip.style.top = event.pageY + 16 + 'px';
  }

  hide() {
    this.tip.hidden = true;
  }
}
