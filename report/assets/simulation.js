'use strict';

/** The table of results; a row is a strategy. */
class ResultTable extends NodeTable {
  static COLUMNS = [
    ['Strategy', (r) => r.strategy, (v) => v],
    ['Makespan', (r) => ResultTable.of(r, r.makespanSeconds), (v) => v === Infinity ? 'never ended' : Format.seconds(v)],
    ['× bound', (r) => ResultTable.of(r, r.makespanOverBound), (v) => v === Infinity ? '–' : v.toFixed(4)],
    ['95 %', (r) => r.makespanOverBound.low, (v) => v],
    ['Imbalance', (r) => r.loadImbalancePercent.median, (v) => v.toFixed(2) + ' %'],
    ['Utilization', (r) => r.utilization.median, (v) => Format.percent(v)],
    ['Messages', (r) => r.messages.median, Format.count],
    ['Moves', (r) => r.moves.reserved.median + r.moves.leased.median, Format.count],
    ['Copies', (r) => r.moves.copies.median, Format.count],
    ['Wasted', (r) => r.wastedSeconds.median, Format.seconds],
    ['Joules', (r) => r.joules?.median, (v) => v === undefined ? '–' : Format.number(v)],
  ];

  static of(row, figure) {
    return row.completed === 0 ? Infinity : figure.median;
  }

  static interval({completed, makespanOverBound: {low, high}}) {
    return completed < 2 ? '' : `${low.toFixed(4)} to ${high.toFixed(4)}`;
  }

  columns() {
    const intervals = this.nodes.some((row) => ResultTable.interval(row));
    const joules = this.nodes.some((row) => row.joules);
    return ResultTable.COLUMNS
        .filter(([name]) => (name !== '95 %' || intervals) && (name !== 'Joules' || joules))
        .map((column) => column[0] === '95 %' ? ['95 %', ResultTable.interval, (v) => v] : column);
  }

  setRows(rows) {
    this.rows.clear();
    this.table.tBodies[0]?.replaceChildren();
    this.setData({summary: {nodes: rows}}, rows.map((_, i) => i));
  }
}

/** Input of one of several timelines that are zoomed and moved together. */
class LinkedInput extends LanesInput {
  constructor(lanes, tip, buttons, group) {
    super(lanes, tip, buttons);
    this.group = group;
    lanes.box.addEventListener('scroll', () => this.follow());
  }

  show(from, to) {
    for (const input of this.group()) {
      input.hide();
      input.lanes.show(from, to);
      input.lanes.draw();
      input.updateButtons();
    }
  }

  /** The others show the same nodes. */
  follow() {
    for (const {lanes} of this.group()) {
      if (lanes.box.scrollTop !== this.lanes.box.scrollTop) lanes.box.scrollTop = this.lanes.box.scrollTop;
    }
  }
}

/** One strategy's lanes under its name. */
class Panel {
  static MAX_HEIGHT = 300;
  static SOON = 0.01;  // that workers join is worth a sign only after this part of the run

  constructor(run) {
    const soon = Panel.SOON * run.summary.makespanSeconds;
    this.run = run;
    this.timeline = {...run.timeline, events: run.timeline.events.filter(({kind, start}) => kind !== 'joined' || start > soon)};
    this.box = element('div', 'panel');
    if (run.recorded) this.box.dataset.recorded = '';
    const head = element('h3');
    head.append(element('b', '', run.strategy), ...Panel.facts(run).map((text) => element('span', '', text)));
    const lanes = element('div', 'lanes');
    const space = element('div', 'lanes-space');
    this.canvas = element('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `Timeline of ${run.strategy}: ${Panel.facts(run).join(', ')}; the table has its figures`);
    space.append(this.canvas);
    lanes.append(space);
    this.box.append(head, lanes);
    this.lanes = new Lanes(lanes);
    this.lanes.compact = true;
    this.lanes.maxHeight = Panel.MAX_HEIGHT;
  }

  static facts({summary: {state, makespanSeconds, lowerBoundSeconds}, timeline}) {
    const moves = timeline.events.filter((event) => event.kind === 'move').length;
    const more = timeline.eventCount > timeline.events.length ? 'at least ' : '';
    return [
      state === 'Complete' ? Format.seconds(makespanSeconds) : 'not complete',
      state === 'Complete' && lowerBoundSeconds > 0 ? `${(makespanSeconds / lowerBoundSeconds).toFixed(3)} × bound` : '',
      moves > 0 ? more + Format.plural(moves, 'move') : '',
    ].filter(Boolean);
  }

  draw(order) {
    this.lanes.setData(this.timeline, this.run.summary, order);
  }
}

/** The page. */
class Simulation {
  static FIRST = 5;  // so many strategies show their lanes at once

  constructor(data) {
    this.data = data;
    this.table = new ResultTable();
    this.choice = new NodeChoice(() => this.choose());
    this.buttons = [...document.querySelectorAll('[data-zoom]')];
    for (const button of this.buttons) button.addEventListener('click', () => this.inputs()[0]?.press(button.dataset.zoom));
    const select = document.getElementById('scenario');
    select.append(...data.scenarios.map(({name}, i) => new Option(name, i)));
    select.addEventListener('change', () => this.show(data.scenarios[select.value]));
    document.getElementById('which').hidden = data.scenarios.length < 2;
    this.show(data.scenarios[0]);
  }

  show(scenario) {
    this.scenario = scenario;
    this.head(scenario);
    this.table.setRows(scenario.rows);
    document.getElementById('results-hint').textContent = scenario.repetitions > 1 ?
      `Medians of ${Format.plural(scenario.repetitions, 'seed')}, from ${scenario.seed}. The lanes below are of seed ${scenario.seed}.` :
      `Of seed ${scenario.seed}.`;
    this.panels = scenario.runs.map((run) => new Panel(run));
    this.shown = new Set(scenario.runs.slice(0, Simulation.FIRST));
    this.choice.setData({summary: {nodes: scenario.nodes}});
    this.pick();
    this.fill();
  }

  head({name, description, replay, tasks, nodes, repetitions, seed}) {
    document.getElementById('name').textContent = name;
    const facts = [Format.plural(tasks, 'task'), Format.plural(nodes.length, 'node'),
                   repetitions > 1 ? `${Format.count(repetitions)} seeds from ${seed}` : `seed ${seed}`];
    document.getElementById('facts').replaceChildren(...facts.flatMap((text, i) => [i > 0 ? ' · ' : '', element('span', '', text)]));
    const text = document.getElementById('description');
    text.textContent = [replay, description].filter(Boolean).join(' ');
    text.hidden = text.textContent === '';
  }

  pick() {
    document.getElementById('pick').replaceChildren(...this.scenario.runs.map((run) => {
      const label = element('label');
      const box = element('input');
      box.type = 'checkbox';
      box.checked = this.shown.has(run);
      box.addEventListener('change', () => {
        if (box.checked) this.shown.add(run); else this.shown.delete(run);
        this.fill();
      });
      label.append(box, run.recorded ? `${run.strategy}, as it was` : run.strategy);
      const item = element('li');
      item.append(label);
      return item;
    }));
  }

  inputs() {
    return this.panels.filter(({run, input}) => input && this.shown.has(run)).map(({input}) => input);
  }

  /** Puts the panels there that are wanted, on one axis; what was zoomed into stays in sight. */
  fill() {
    const wanted = this.panels.filter(({run}) => this.shown.has(run));
    const end = Math.max(...wanted.map(({run}) => run.summary.makespanSeconds));
    const before = this.panels.map(({lanes}) => lanes).find(({box, whole}) => whole && box.isConnected);
    const zoomed = before && (before.from > 0 || before.to < before.whole);
    const span = zoomed ? [before.from, before.to] : [0, Infinity];
    document.getElementById('panels').replaceChildren(...wanted.map(({box}) => box));
    for (const panel of wanted) {
      panel.lanes.leastEnd = end;
      panel.draw(this.choice.shown);
      panel.input ??= new LinkedInput(panel.lanes, document.getElementById('tip'), [], () => this.inputs());
    }
    for (const [i, input] of this.inputs().entries()) input.buttons = i === 0 ? this.buttons : [];
    this.inputs()[0]?.show(...span);
    this.legend();
  }

  choose() {
    for (const panel of this.panels) if (this.shown.has(panel.run)) panel.lanes.choose(this.choice.shown);
  }

  legend() {
    const runs = this.panels.filter(({run}) => this.shown.has(run)).map(({run, timeline}) => ({...run, timeline}));
    const bars = (kind) => runs.some(({timeline}) => timeline.bars.some((bar) => bar[2] === kind));
    const has = (kind) => runs.some(({timeline}) => timeline.events.some((event) => event.kind === kind));
    const items = [['planned', 'as planned']];
    if (bars('stolen')) items.push(['stolen', 'stolen']);
    if (bars('copy')) items.push(['copy', 'copies that finished first']);
    items.push(['idle', 'idle']);
    if (runs.some(({summary}) => summary.startupSeconds > 0)) items.push(['start-up', 'start-up']);
    if (has('master')) items.push(['master', 'master, not computing']);
    if (has('move') && this.scenario.nodes.length <= Lanes.FEW) items.push(['move', 'move, dashed if leased']);
    if (has('lost')) items.push(['lost', 'node lost']);
    if (has('joined')) items.push(['joined', 'node joined']);
    Legend.show(items);
    const hidden = Math.max(0, ...runs.map(({timeline}) => timeline.hiddenPause));
    const scrolls = this.inputs().some(({lanes}) => lanes.overflows());
    document.getElementById('condensed').textContent = (hidden > 0 ? `Pauses of up to ${Format.seconds(hidden)} do not show. ` : '') + (scrolls ? 'The lanes scroll, together.' : '');
  }

  redraw() {
    for (const {lanes} of this.inputs()) lanes.layout();
    this.legend();
  }

  /** Paper is light, and has no scroll bars. */
  print(on) {
    const root = document.documentElement;
    if (on) root.dataset.theme = 'light'; else delete root.dataset.theme;
    for (const {lanes} of this.panels) lanes.maxHeight = on ? 4000 : Panel.MAX_HEIGHT;
    this.redraw();
  }
}

const simulation = new Simulation(JSON.parse(document.getElementById('data').textContent));
delete document.documentElement.dataset.loading;
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => simulation.redraw());
addEventListener('beforeprint', () => simulation.print(true));
addEventListener('afterprint', () => simulation.print(false));
new ResizeObserver(() => simulation.inputs().some(({lanes}) => lanes.width !== lanes.box.clientWidth) && simulation.redraw())
    .observe(document.getElementById('panels'));
