'use strict';

/** The page: figures, table and words are filled in here; lanes.js, charts.js and result_charts.js draw. */
class Report {
  constructor() {
    this.lanes = new Lanes(document.getElementById('lanes'));
    this.charts = new Charts();
    this.resultCharts = new ResultCharts(document.getElementById('result-charts'), this.charts);
    this.tasks = new TaskFacts();
    this.table = new NodeTable();
    this.choice = new NodeChoice(() => this.choose());
  }

  /** `data` as documented in html_report.h, or as LiveData has it. May be called again with newer data. */
  render(data) {
    this.data = data;
    this.head(data);
    this.bar(data.now);
    this.figures(data);
    this.tasks.setData(data);
    this.choice.setData(data);
    this.lanes.setData(data.timeline, data.summary, this.choice.shown, data.now);
    this.input ??= new LanesInput(this.lanes, document.getElementById('tip'), [...document.querySelectorAll('[data-zoom]')]);
    this.legend(data);
    if (!data.now || this.charts.due()) this.charts.setData(data);
    this.table.setData(data, this.choice.shown);
    document.getElementById('result-title').parentElement.hidden = Boolean(data.now);
    if (data.now) return;
    this.result(data.summary.result);
    this.resultCharts.setData(data.charts);
  }

  /** After another choice of nodes. */
  choose() {
    this.lanes.choose(this.choice.shown);
    this.table.setData(this.data, this.choice.shown);
  }

  head({summary, now}) {
    document.getElementById('kind').textContent = now ? 'Evenkeel, live' : 'Evenkeel run report';
    document.title = `${now ? Format.percent(now.progress, 0) + ' ' : ''}${summary.job} · Evenkeel`;
    const state = document.getElementById('state');
    const signs = {Complete: '✓', Failed: '✕', Interrupted: '❙❙', Blocked: '❙❙'};
    state.textContent = `${signs[summary.state] ?? '▸'} ${summary.state}`;
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

  bar(now) {
    const bar = document.getElementById('bar');
    bar.hidden = !now;
    if (!now) return;
    bar.setAttribute('aria-valuenow', (100 * now.progress).toFixed(1));
    bar.firstElementChild.style.width = 100 * now.progress + '%';
  }

  /** The two most wanted come first: of a run that goes on, how far it is and when it will end. */
  figures({summary, now}) {
    const known = summary.lowerBoundSeconds > 0;
    const {moves} = summary;
    const slower = known ? `${(summary.makespanSeconds / summary.lowerBoundSeconds).toFixed(3)} × lower bound` : '';
    const clock = [Format.clock(summary.makespanSeconds), slower].filter(Boolean).join(', ');
    const ended = [
      ['makespanSeconds', 'Makespan', Format.seconds(summary.makespanSeconds), clock, true],
      ['lowerBoundSeconds', 'Lower bound', known ? Format.seconds(summary.lowerBoundSeconds) : '–', known ? `speeds ${summary.rateSource}` : 'not known'],
      ['efficiency', 'Efficiency', known ? Format.percent(summary.efficiency) : '–', known ? 'lower bound ÷ makespan' : '', true],
      ['loadImbalancePercent', 'Load imbalance', Format.percent(summary.loadImbalancePercent / 100, 2), '0 % is all at once'],
    ];
    const figures = [
      ...(now ? this.liveFigures(summary, now, known) : ended),
      ['moves', 'Moves', Format.count(moves.reserved + moves.leased), `${Format.count(moves.reserved)} reserved, ${Format.count(moves.leased)} leased; ${Format.plural(moves.copies, 'copy', 'copies')}`],
      ['wastedSeconds', 'Wasted', Format.seconds(summary.wastedSeconds), 'duplicates and repeats'],
      ['messages', 'Messages', Format.count(summary.messages), `${Format.bytes(summary.bytesSent)} sent, ${Format.bytes(summary.bytesReceived)} received`],
      ...(summary.energy ? [['joules', 'Energy', Format.number(summary.energy.joules) + ' J', `estimated; idle draw ${Format.number(summary.energy.idleJoules)} J ${summary.energy.idlePower === 'Counted' ? 'counted' : 'beside it'}${summary.energy.partial ? '; some nodes not known' : ''}`]] : []),
      now ? this.busyFigure(summary.nodes) : ['startupSeconds', 'Start-up', Format.seconds(summary.startupSeconds), 'before the first task'],
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

  liveFigures(summary, now, known) {
    const {tasks} = summary;
    const done = `${Format.count(tasks.completed)} of ${Format.plural(tasks.total, 'task')}` + (tasks.failed > 0 ? `, ${Format.count(tasks.failed)} failed` : '');
    const eta = Number.isFinite(now.etaSeconds);
    const soFar = now.progress * summary.lowerBoundSeconds / now.elapsedSeconds;
    return [
      ['progress', 'Progress', Format.percent(now.progress), done, true],
      ['etaSeconds', 'Time left', eta ? Format.roughly(now.etaSeconds) : '–', eta ? `± ${Format.roughly(now.etaSigmaSeconds)}` : 'not known yet', true],
      ['elapsedSeconds', 'Time so far', Format.roughly(now.elapsedSeconds), eta ? `ends at about ${Format.roughly(now.elapsedSeconds + now.etaSeconds)}` : ''],
      ['efficiencySoFar', 'Efficiency so far', known ? Format.percent(Math.min(soFar, 1)) : '–', known ? `lower bound ${Format.roughly(summary.lowerBoundSeconds)}, speeds ${summary.rateSource}` : 'no lower bound known yet'],
    ];
  }

  busyFigure(nodes) {
    const count = {busy: 0, alone: 0, idle: 0, away: 0, lost: 0};
    for (const {state} of nodes) ++count[state];
    const others = ['alone', 'idle', 'away', 'lost'].filter((state) => count[state] > 0).map((state) => `${Format.count(count[state])} ${state}`);
    return ['busyNodes', 'Nodes at work', `${Format.count(count.busy + count.alone)} of ${Format.count(nodes.length)}`, others.join(', ') || 'none idle, none lost'];
  }

  legend({timeline, summary, now}) {
    if (now) return this.liveLegend(timeline);
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
    this.showLegend(items);
    this.lanes.canvas.setAttribute('aria-label', `Timeline of ${Format.plural(timeline.workers.length, 'worker')}; the table of nodes has their figures`);
    const events = timeline.eventCount > timeline.events.length ? ` Of ${Format.count(timeline.eventCount)} events, ${Format.count(timeline.events.length)} are drawn.` : '';
    document.getElementById('condensed').textContent = `${Format.plural(timeline.ranges, 'range')}, drawn as ${Format.plural(timeline.bars.length, 'bar')}` +
        (timeline.hiddenPause > 0 ? `; pauses of up to ${Format.seconds(timeline.hiddenPause)} do not show.` : '.') + events + (this.lanes.overflows() ? ' The lanes scroll.' : '');
  }

  liveLegend({workers, caughtUp}) {
    const items = [['planned', 'as planned'], ['stolen', 'stolen'], ['copy', 'copies that finished first'], ['open', 'running, not reported yet'], ['idle', 'idle'], ['lost', 'node lost'], ['joined', 'node joined']];
    if (this.legendOf !== 'live') this.showLegend(items, 'live');
    this.lanes.canvas.setAttribute('aria-label', `Timeline of ${Format.plural(workers.length, 'node')} so far; the table of nodes has their figures`);
    document.getElementById('condensed').textContent = 'The height of a bar is the part of the node that was busy.' + (caughtUp ? '' : ' What happened before this page was opened is being read.');
  }

  showLegend(items, name) {
    this.legendOf = name;
    Legend.show(items);
  }

  result(fields) {
    const cells = fields.flatMap(([name, text]) => [element('dt', '', name), element('dd', '', text)]);
    document.getElementById('result').replaceChildren(...(cells.length > 0 ? cells : [element('dd', 'none', 'This run has no result.')]));
  }

  /** After colours or sizes changed. */
  redraw() {
    if (!this.data) return;
    this.lanes.layout();
    this.legendOf = undefined;
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
{
  const data = JSON.parse(document.getElementById('data').textContent);
  try {
    if (!data.live) report.render(data);
  } finally {
    if (!data.live) delete document.documentElement.dataset.loading;
  }
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => report.redraw());
addEventListener('beforeprint', () => report.print(true));
addEventListener('afterprint', () => report.print(false));
new ResizeObserver(() => report.data && report.lanes.width !== report.lanes.box.clientWidth && report.lanes.layout()).observe(report.lanes.box);
