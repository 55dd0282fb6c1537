'use strict';

/** The page: figures, table and words are filled in here; lanes.js, charts.js and result_charts.js draw. */
class Report {
  constructor() {
    this.lanes = new Lanes(document.getElementById('lanes'));
    this.charts = new Charts();
    this.resultCharts = new ResultCharts(document.getElementById('result-charts'), this.charts);
  }

  /** `data` as documented in html_report.h. May be called again with newer data. */
  render(data) {
    this.data = data;
    this.head(data.summary);
    this.figures(data.summary);
    this.lanes.setData(data.timeline, data.summary);
    this.input ??= new LanesInput(this.lanes, document.getElementById('tip'), [...document.querySelectorAll('[data-zoom]')]);
    this.legend(data);
    this.charts.setData(data);
    this.table(data.summary.nodes);
    this.result(data.summary.result);
    this.resultCharts.setData(data.charts);
  }

  head(summary) {
    const state = document.getElementById('state');
    const signs = {Complete: '✓', Failed: '✕', Interrupted: '❙❙', Running: '▸'};
    state.textContent = `${signs[summary.state]} ${summary.state}`;
    state.dataset.state = summary.state;
    document.getElementById('job').textContent = summary.job;
    const held = summary.speedControl && summary.speedControl !== 'none';
    const facts = [
      summary.workload && 'workload ' + summary.workload,
      `${Format.count(summary.tasks.completed)} of ${Format.plural(summary.tasks.total, 'task')}`,
      Format.plural(summary.nodes.length, 'node'),
      held && 'speeds held by ' + summary.speedControl,
      summary.leaseSeconds > 0 && `lease ${Format.number(summary.leaseSeconds)} s`,
      summary.epoch > 1 && 'start ' + summary.epoch,
      'seed ' + summary.seed,
    ].filter(Boolean).flatMap((text) => [' · ', element('span', '', text)]);
    document.getElementById('facts').replaceChildren(element('b', '', summary.strategy), ...facts);
    const reason = document.getElementById('reason');
    const failed = summary.tasks.failed > 0 ? `${Format.plural(summary.tasks.failed, 'task')} failed: ${summary.failedIndexes}` : '';
    reason.textContent = [summary.reason, failed].filter(Boolean).join(' – ');
    reason.hidden = reason.textContent === '';
  }

  figures(summary) {
    const known = summary.lowerBoundSeconds > 0;
    const {moves} = summary;
    const slower = known ? `${(summary.makespanSeconds / summary.lowerBoundSeconds).toFixed(3)} × lower bound` : '';
    const clock = [Format.clock(summary.makespanSeconds), slower].filter(Boolean).join(', ');
    const figures = [
      ['makespanSeconds', 'Makespan', Format.seconds(summary.makespanSeconds), clock, true],
      ['lowerBoundSeconds', 'Lower bound', known ? Format.seconds(summary.lowerBoundSeconds) : '–', known ? `speeds ${summary.rateSource}` : 'not known'],
      ['efficiency', 'Efficiency', known ? Format.percent(summary.efficiency) : '–', known ? 'lower bound ÷ makespan' : '', true],
      ['loadImbalancePercent', 'Load imbalance', Format.percent(summary.loadImbalancePercent / 100, 2), '0 % is all at once'],
      ['moves', 'Moves', Format.count(moves.reserved + moves.leased), `${Format.count(moves.reserved)} reserved, ${Format.count(moves.leased)} leased; ${Format.plural(moves.copies, 'copy', 'copies')}`],
      ['wastedSeconds', 'Wasted', Format.seconds(summary.wastedSeconds), 'duplicates and repeats'],
      ['messages', 'Messages', Format.count(summary.messages), `${Format.bytes(summary.bytesSent)} sent, ${Format.bytes(summary.bytesReceived)} received`],
      ...(summary.energy ? [['joules', 'Energy', Format.number(summary.energy.joules) + ' J', `estimated; idle draw ${Format.number(summary.energy.idleJoules)} J ${summary.energy.idlePower === 'Counted' ? 'counted' : 'beside it'}${summary.energy.partial ? '; some nodes not known' : ''}`]] : []),
      ['startupSeconds', 'Start-up', Format.seconds(summary.startupSeconds), 'before the first task'],
    ];
    document.getElementById('figures').replaceChildren(...figures.map(([key, name, value, note, lead]) => {
      const box = element('div');
      if (lead) box.dataset.lead = '';
      const shown = element('dd', 'value', value);
      shown.dataset.figure = key;
      box.append(element('dt', '', name), shown, element('dd', 'note', note));
      return box;
    }));
  }

  legend({timeline, summary}) {
    const tasks = {};
    for (const bar of this.lanes.bars) tasks[bar.kind] = (tasks[bar.kind] || 0) + bar.tasks;
    const has = (kind) => timeline.events.some((e) => e.kind === kind);
    const count = (kind) => Format.plural(tasks[kind] || 0, 'task');
    const items = [['planned', `as planned, ${count('planned')}`], ['stolen', `stolen, ${count('stolen')}`]];
    if (tasks.copy) items.push(['copy', `copies that finished first, ${count('copy')}`]);
    items.push(['idle', 'idle']);
    if (summary.startupSeconds > 0) items.push(['start-up', 'start-up']);
    if (has('master')) items.push(['master', 'master, not computing']);
    if (has('move') && timeline.workers.length <= Lanes.FEW) items.push(['move', 'move, dashed if leased']);
    if (has('lost')) items.push(['lost', 'node lost']);
    if (has('joined')) items.push(['joined', 'node joined']);
    document.getElementById('legend').replaceChildren(...items.map(([kind, text]) => {
      const item = element('li');
      item.append(this.swatch(kind), text);
      return item;
    }));
    this.lanes.canvas.setAttribute('aria-label', `Timeline of ${Format.plural(timeline.workers.length, 'worker')}; the table of nodes has their figures`);
    const events = timeline.eventCount > timeline.events.length ? ` Of ${Format.count(timeline.eventCount)} events, ${Format.count(timeline.events.length)} are drawn.` : '';
    document.getElementById('condensed').textContent = `${Format.plural(timeline.ranges, 'range')}, drawn as ${Format.plural(timeline.bars.length, 'bar')}` +
        (timeline.hiddenPause > 0 ? `; pauses of up to ${Format.seconds(timeline.hiddenPause)} do not show.` : '.') + events + (this.lanes.overflows() ? ' The lanes scroll.' : '');
  }

  swatch(kind) {
    const canvas = element('canvas');
    canvas.width = 36;
    canvas.height = 24;
    const c = canvas.getContext('2d');
    const hatched = {'copy': 'card', 'start-up': 'soft', 'master': 'master'}[kind];
    const signed = {move: 'ink', lost: 'lost', joined: 'joined'}[kind];
    c.fillStyle = themeColour(signed || (kind === 'start-up' || kind === 'master' ? 'idle' : kind));
    if (signed) {
      c.fillRect(16, 0, 4, 24);
      c.arc(18, kind === 'move' ? 18 : 12, kind === 'move' ? 6 : 10, 0, 2 * Math.PI);
      c.fill();
    } else {
      c.fillRect(0, 0, 36, 24);
    }
    if (hatched) {
      c.strokeStyle = themeColour(hatched);
      c.lineWidth = 2;
      for (let x = -24; x < 36; x += 9) {
        c.moveTo(x, 24);
        c.lineTo(x + 24, 0);
      }
      c.stroke();
    }
    return canvas;
  }

  static COLUMNS = [
    ['Node', (n) => n.name, (v) => v],
    ['Weight', (n) => n.weight, Format.count],
    ['Ratio', (n) => n.ratio, Format.number],
    ['Share', (n) => n.share, (v) => Format.percent(v, v < 0.01 ? 2 : 1)],
    ['Completed', (n) => n.completed, Format.count],
    ['Stolen in', (n) => n.stolenIn, Format.count],
    ['Stolen out', (n) => n.stolenOut, Format.count],
    ['Busy', (n) => n.busySeconds, Format.seconds],
    ['Rate, units/s', (n) => n.rate, Format.number],
    ['Predicted finish', (n) => n.predictedFinishSeconds, (v) => v > 0 ? Format.seconds(v) : '–'],
    ['Finish', (n) => n.finishSeconds, (v) => v > 0 ? Format.seconds(v) : '–'],
    ['Joules', (n) => n.dynamicJoules ?? undefined, (v) => v === undefined ? '–' : Format.number(v)],
    ['Declared speed', (n) => n.declaredSpeed, (v) => v === undefined ? '–' : Format.number(v)],
  ];

  static OPTIONAL = ['Joules', 'Declared speed'];

  table(nodes, sorted = -1, falling = false) {
    const columns = Report.COLUMNS.filter(([name, value]) => !Report.OPTIONAL.includes(name) || nodes.some((n) => value(n) !== undefined));
    const rows = [...nodes];
    if (sorted >= 0) {
      const value = columns[sorted][1];
      const sign = falling ? -1 : 1;
      rows.sort((a, b) => sign * (typeof value(a) === 'string' ? value(a).localeCompare(value(b), 'en', {numeric: true}) : (value(a) ?? -1) - (value(b) ?? -1)));
    }
    const head = element('tr');
    columns.forEach(([name], i) => {
      const cell = element('th');
      cell.scope = 'col';
      if (i === sorted) cell.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
      const button = element('button', '', name + (i === sorted ? (falling ? ' ↓' : ' ↑') : ''));
      button.addEventListener('click', () => this.table(nodes, i, i === sorted && !falling));
      cell.append(button);
      head.append(cell);
    });
    const body = element('tbody');
    body.append(...rows.map((node) => {
      const row = element('tr');
      row.append(...columns.map(([, value, format]) => element('td', '', format(value(node)))));
      return row;
    }));
    const top = element('thead');
    top.append(head);
    document.getElementById('nodes').replaceChildren(top, body);
  }

  result(fields) {
    const cells = fields.flatMap(([name, text]) => [element('dt', '', name), element('dd', '', text)]);
    document.getElementById('result').replaceChildren(...(cells.length > 0 ? cells : [element('dd', 'none', 'This run has no result.')]));
  }

  /** After colours or sizes changed. */
  redraw() {
    this.lanes.layout();
    this.legend(this.data);
    this.charts.drawAll();
    this.resultCharts.drawAll();
  }

  /** Paper is light, and has no scroll bars. */
  print(on) {
    const root = document.documentElement;
    if (on) root.dataset.theme = 'light'; else delete root.dataset.theme;
    this.lanes.maxHeight = on ? 4000 : Lanes.MAX_HEIGHT;
    this.redraw();
  }
}

const report = new Report();
try {
  report.render(JSON.parse(document.getElementById('data').textContent));
} finally {
  delete document.documentElement.dataset.loading;
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => report.redraw());
addEventListener('beforeprint', () => report.print(true));
addEventListener('afterprint', () => report.print(false));
new ResizeObserver(() => report.lanes.width !== report.lanes.box.clientWidth && report.lanes.layout()).observe(report.lanes.box);
