'use strict';

/** Which nodes are shown and in which order: in the lanes, and in the table as long as that is not sorted otherwise. */
class NodeChoice {
  static FEW = 16;   // up to so many there is nothing to search
  static MANY = 60;  // from so many on, those that would finish last come first while the job runs
  static CALM_MS = 10000;  // between two automatic changes of the order

  static last = (n) => n.state === 'lost' ? Infinity : n.predictedFinishSeconds || 0;
  static ORDERS = [
    ['listed', 'as listed', null],
    ['latest', 'latest finish first', (a, b) => NodeChoice.last(b) - NodeChoice.last(a)],
    ['slowest', 'slowest first', (a, b) => (a.rate || 0) - (b.rate || 0)],
    ['fastest', 'fastest first', (a, b) => (b.rate || 0) - (a.rate || 0)],
    ['stolen', 'most stolen from first', (a, b) => b.stolenOut - a.stolenOut],
  ];

  constructor(changed) {
    this.box = document.getElementById('choice');
    this.search = document.getElementById('search');
    this.order = document.getElementById('order');
    this.order.append(...NodeChoice.ORDERS.map(([value, text]) => new Option(text, value)));
    this.search.addEventListener('input', () => { this.make(); changed(); });
    this.order.addEventListener('change', () => { this.asked = true; this.make(); changed(); });
  }

  setData({summary: {nodes}, now}) {
    const another = this.nodes?.length !== nodes.length;
    this.nodes = nodes;
    this.box.hidden = nodes.length <= NodeChoice.FEW;
    if (!this.asked) this.order.value = now && nodes.length > NodeChoice.MANY ? 'latest' : 'listed';
    if (another || !now || performance.now() - this.madeAt > NodeChoice.CALM_MS) this.make();
  }

  make() {
    this.madeAt = performance.now();
    const part = this.search.value.trim().toLowerCase();
    const compare = NodeChoice.ORDERS.find(([value]) => value === this.order.value)[2];
    this.shown = this.nodes.map((_, i) => i).filter((i) => this.nodes[i].name.toLowerCase().includes(part));
    if (compare) this.shown.sort((a, b) => compare(this.nodes[a], this.nodes[b]) || a - b);
    document.getElementById('chosen').textContent = part ? `${Format.count(this.shown.length)} of ${Format.plural(this.nodes.length, 'node')}` : '';
  }
}

/** The table of nodes. While the job runs its cells change in place, and of many nodes only the first rows are made. */
class NodeTable {
  static LIVE_ROWS = 50;

  /** Seconds of a range, once a run of the node was measured. */
  static measured = (v, n) => n.ranges?.perTaskSeconds > 0 ? Format.number(v) + ' s' : '–';

  static COLUMNS = [
    ['Node', (n) => n.name, (v) => v],
    ['State', (n) => n.state, (v) => v],
    ['Slots', (n) => n.slots, (v, n) => v > 0 ? Format.count(v) + (n.slotLimit ? ` (${n.slotLimit})` : '') : '–'],
    ['Weight', (n) => n.weight, Format.count],
    ['Ratio', (n) => n.ratio, Format.number],
    ['Share', (n) => n.share, (v) => Format.percent(v, v < 0.01 ? 2 : 1)],
    ['Completed', (n) => n.completed, Format.count],
    ['Stolen in', (n) => n.stolenIn, Format.count],
    ['Stolen out', (n) => n.stolenOut, Format.count],
    ['Busy', (n) => n.busySeconds, Format.seconds],
    ['Waited for data', (n) => n.dataWaitSeconds, (v) => v === undefined ? '–' : Format.seconds(v)],
    ['Fetched', (n) => n.fetchedBytes, (v) => v === undefined ? '–' : Format.bytes(v)],
    ['Link', (n) => n.fetchSeconds > 0 ? n.fetchedBytes / n.fetchSeconds : undefined, (v) => v === undefined ? '–' : `${Format.bytes(v)}/s`],
    ['Rate, units/s', (n) => n.rate, Format.number],
    ['Predicted finish', (n) => n.predictedFinishSeconds, (v) => v > 0 ? Format.seconds(v) : '–'],
    ['Finish', (n) => n.finishSeconds, (v) => v > 0 ? Format.seconds(v) : '–'],
    ['Start of a run', (n) => n.ranges?.startupSeconds, NodeTable.measured],
    ['Per task', (n) => n.ranges?.perTaskSeconds, NodeTable.measured],
    ['Runs now', (n) => n.ranges?.running, (v, n) => v > 0 ? Format.count(v) + (n.ranges.cuttable > 0 ? `, ${Format.count(n.ranges.cuttable)} can be cut` : '') : '–'],
    ['Cut', (n) => n.ranges?.cut, Format.count],
    ['Joules', (n) => n.dynamicJoules ?? undefined, (v) => v === undefined ? '–' : Format.number(v)],
    ['Declared speed', (n) => n.declaredSpeed, (v) => v === undefined ? '–' : Format.number(v)],
  ];
  /** Not known of every run. */
  static OPTIONAL = ['Slots', 'Waited for data', 'Fetched', 'Link', 'Start of a run', 'Per task', 'Runs now', 'Cut', 'Joules', 'Declared speed'];
  static LIVE_ORDER = ['Node', 'State', 'Slots', 'Completed', 'Rate, units/s', 'Predicted finish', 'Start of a run', 'Per task', 'Runs now', 'Cut', 'Weight', 'Share', 'Stolen in', 'Stolen out', 'Busy', 'Waited for data', 'Fetched', 'Link', 'Joules', 'Declared speed'];

  constructor() {
    this.table = document.getElementById('nodes');
    this.more = document.getElementById('more');
    this.more.firstElementChild.addEventListener('click', () => { this.all = true; this.draw(); });
    this.sorted = '';
    this.falling = false;
    this.rows = new Map();
  }

  /** `shown` are the numbers of the nodes, in order. */
  setData({summary: {nodes}, now}, shown) {
    this.nodes = nodes;
    this.live = Boolean(now);
    this.shown = shown;
    this.draw();
  }

  columns() {
    const there = NodeTable.COLUMNS.filter(([name, value]) => !NodeTable.OPTIONAL.includes(name) || this.nodes.some((n) => value(n) !== undefined));
    if (!this.live) return there.filter(([name]) => name !== 'State');
    return NodeTable.LIVE_ORDER.map((name) => there.find((column) => column[0] === name)).filter(Boolean);
  }

  draw() {
    const columns = this.columns();
    const order = [...this.shown];
    const by = columns.find(([name]) => name === this.sorted);
    if (by) {
      const value = (i) => by[1](this.nodes[i]);
      const sign = this.falling ? -1 : 1;
      order.sort((a, b) => sign * (typeof value(a) === 'string' ? value(a).localeCompare(value(b), 'en', {numeric: true}) : (value(a) ?? -1) - (value(b) ?? -1)));
    }
    const most = this.live && !this.all ? NodeTable.LIVE_ROWS : order.length;
    this.more.hidden = order.length <= most;
    this.more.firstElementChild.textContent = `Show all ${Format.count(order.length)} nodes`;
    this.head(columns);
    this.body(columns, order.slice(0, most));
  }

  head(columns) {
    const look = JSON.stringify([columns.map(([name]) => name), this.sorted, this.falling]);
    if (look === this.look) return;
    this.look = look;
    this.rows.clear();
    const head = element('tr');
    head.append(...columns.map(([name]) => {
      const cell = element('th');
      cell.scope = 'col';
      const sorted = name === this.sorted;
      if (sorted) cell.setAttribute('aria-sort', this.falling ? 'descending' : 'ascending');
      const button = element('button', '', name + (sorted ? (this.falling ? ' ↓' : ' ↑') : ''));
      button.addEventListener('click', () => this.sort(name));
      cell.append(button);
      return cell;
    }));
    const top = element('thead');
    top.append(head);
    this.table.replaceChildren(top, element('tbody'));
  }

  sort(name) {
    this.falling = name === this.sorted && !this.falling;
    this.sorted = name;
    this.draw();
    [...this.table.querySelectorAll('th')].find((cell) => cell.hasAttribute('aria-sort')).firstElementChild.focus({preventScroll: true});
  }

  body(columns, order) {
    const rows = order.map((i) => {
      const row = this.rows.get(i) ?? element('tr');
      this.rows.set(i, row);
      columns.forEach(([, value, format], c) => {
        const cell = row.cells[c] ?? row.insertCell();
        const text = format(value(this.nodes[i]), this.nodes[i]);
        if (cell.textContent !== text) cell.textContent = text;
      });
      if (this.live) row.dataset.state = this.nodes[i].state;
      return row;
    });
    const body = this.table.tBodies[0];
    if (rows.length !== body.rows.length || rows.some((row, i) => row !== body.rows[i])) body.replaceChildren(...rows);
  }
}
