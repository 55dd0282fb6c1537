'use strict';

/** The four charts under the timeline, by Chart.js. What was planned is pale, what came is solid. */
class Charts {
  static FEW = 24;  // up to so many nodes, each is a row of its own

  constructor() {
    Chart.defaults.animation = false;
    Chart.defaults.maintainAspectRatio = false;
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    this.charts = {};
    this.rows = {};  // of each chart that has one for each node
  }

  /** `data` as in the page. */
  setData(data) {
    this.data = data;
    const began = performance.now();
    this.drawAll();
    this.drawnAt = performance.now();
    this.tookMs = this.drawnAt - began;
  }

  /** Whether it is time to draw again while the job runs: every five seconds, and for a twentieth of the time at most. */
  due() {
    return !(performance.now() - this.drawnAt < Math.max(5000, 20 * this.tookMs));
  }

  /** Again, e.g. after the colours changed. */
  drawAll() {
    this.colours = {};
    for (const name of ['ink', 'soft', 'line', 'card', 'planned']) this.colours[name] = themeColour(name);
    Chart.defaults.color = this.colours.soft;
    const nodes = this.data.summary.nodes;
    this.put('shares', nodes.length <= Charts.FEW ? this.shareRows(nodes) : this.shareCloud(nodes));
    const many = this.data.now ? this.finishAhead(nodes) : this.finishCloud(nodes);
    this.put('finish', nodes.length <= Charts.FEW ? this.finishRows(nodes) : many);
    this.put('eta', this.eta());
    this.put('progress', this.progress());
  }

  put(id, {caption, ...config}) {
    const box = document.getElementById(id);
    const rows = config.rows || 0;
    box.style.height = Math.max(260, 70 + rows * 34) + 'px';
    document.getElementById(id + '-caption').textContent = caption;
    const drawn = this.charts[id];
    if (drawn?.config.type === config.type && this.rows[id] === rows) {
      drawn.data = config.data;
      drawn.options = config.options;
      drawn.update('none');
      return;
    }
    drawn?.destroy();
    this.rows[id] = rows;
    this.charts[id] = new Chart(box.querySelector('canvas'), config);
  }

  axis(title, more = {}) {
    return {
      title: {display: Boolean(title), text: title},
      grid: {color: this.colours.line, borderColor: this.colours.line, tickColor: this.colours.line},
      ...more,
    };
  }

  options(x, y, label, more = {}) {
    return {
      scales: {x, y},
      plugins: {
        legend: {position: 'top', align: 'start', labels: {usePointStyle: true, boxHeight: 10, padding: 12, filter: (item) => item.text !== ''}},
        tooltip: {callbacks: {label}, filter: (item) => item.dataset.label !== ''},
      },
      ...more,
    };
  }

  dots(label, colour, data, more = {}) {
    return {type: 'line', label, data, showLine: false, backgroundColor: colour, borderColor: colour, pointBorderWidth: 2,
            pointRadius: 6, pointHoverRadius: 7, ...more};
  }

  measured(nodes) {
    const total = nodes.reduce((sum, node) => sum + (node.rate || 0), 0);
    return nodes.map((node) => total > 0 ? 100 * (node.rate || 0) / total : 0);
  }

  shareRows(nodes) {
    const bar = (label, colour, data) => ({label, data, backgroundColor: colour, borderColor: this.colours.planned,
                                           borderWidth: 1, pointStyle: 'rect', maxBarThickness: 16});
    return {
      type: 'bar',
      rows: nodes.length,
      caption: 'Both in per cent of all nodes. Where the bars of a node differ, its weight was off, and the balancing had to make up for it.',
      data: {
        labels: nodes.map((node) => node.name),
        datasets: [bar('planned share', this.colours.planned + '38', nodes.map((node) => 100 * node.share)),
                   bar('measured rate', this.colours.planned, this.measured(nodes))],
      },
      options: this.options(this.axis('% of all', {beginAtZero: true}), this.axis('', {grid: {display: false}}),
                            (item) => `${item.dataset.label}: ${item.parsed.x.toFixed(2)} %`, {indexAxis: 'y'}),
    };
  }

  /** One dot a node, and the line on which both values are equal. */
  cloud(nodes, points, xTitle, yTitle, label, caption) {
    const values = points.flatMap((p) => [p.x, p.y]).filter(Number.isFinite);
    const low = values.reduce((a, b) => Math.min(a, b), Infinity);
    const high = values.reduce((a, b) => Math.max(a, b), 0);
    const pad = Math.max(1e-9, 0.04 * (high - low));
    const ends = values.length > 0 ? [low - pad, high + pad] : [0, 1];
    const range = {type: 'linear', min: ends[0], max: ends[1], ticks: {includeBounds: false, callback: (value) => Format.number(value)}};
    return {
      type: 'line',
      caption,
      data: {datasets: [
        this.dots('one dot a node', this.colours.planned + '99', points, {pointRadius: 3, pointBorderWidth: 0, pointHoverRadius: 5}),
        {label: 'equal', data: ends.map((v) => ({x: v, y: v})), borderColor: this.colours.soft, borderDash: [5, 4], borderWidth: 1.5, pointStyle: 'line', pointRadius: 0},
      ]},
      options: this.options(this.axis(xTitle, range), this.axis(yTitle, range), label,
                            {interaction: {mode: 'nearest', intersect: true}}),
    };
  }

  shareCloud(nodes) {
    const rates = this.measured(nodes);
    const points = nodes.map((node, i) => ({x: 100 * node.share, y: rates[i], name: node.name}));
    return this.cloud(nodes, points, 'planned share, %', 'measured rate, % of all',
        ({raw}) => raw.name ? `${raw.name}: share ${raw.x.toFixed(3)} %, rate ${raw.y.toFixed(3)} %` : 'equal',
        'Above the line, a node was faster than its weight said; below, slower.');
  }

  /** While the job runs: where each node is heading, and when all of it will be over. */
  finishAhead(nodes) {
    const points = nodes.filter((node) => node.predictedFinishSeconds > 0)
        .map((node) => ({x: 100 * node.share, y: node.predictedFinishSeconds, name: node.name}));
    const {elapsedSeconds, etaSeconds} = this.data.now;
    const widest = points.reduce((most, {x}) => Math.max(most, x), 0);
    const end = elapsedSeconds + (etaSeconds || 0);
    const line = etaSeconds > 0 ? [{x: 0, y: end}, {x: widest, y: end}] : [];
    return {
      type: 'line',
      caption: Charts.AHEAD_CAPTION + ' Dots above the line are stolen from, those below it steal.',
      data: {datasets: [
        this.dots('one dot a node', this.colours.planned + '99', points, {pointRadius: 3, pointBorderWidth: 0, pointHoverRadius: 5}),
        this.lineStyle('predicted end of the job', this.colours.ink, line, {borderDash: [5, 3], borderWidth: 1.5}),
      ]},
      options: this.options(this.axis('planned share, %', {type: 'linear', min: 0, ticks: {includeBounds: false, callback: (v) => Format.number(v)}}),
                            this.axis('predicted, seconds', {type: 'linear', grace: '5%'}),
                            ({raw, dataset}) => `${raw.name ?? dataset.label}: ${Format.seconds(raw.y)}`,
                            {interaction: {mode: 'nearest', intersect: true}}),
    };
  }

  static AHEAD_CAPTION = 'Predicted: when a node would end its planned share at its present rate, were nothing moved.';
  static FINISH_CAPTION = 'As predicted when a node had run a tenth of its share, and as it came. ';

  /** Predicted and real as two dots a node, joined by a line. The axis does not begin at 0. */
  finishRows(nodes) {
    const predicted = nodes.map((node) => node.predictedFinishSeconds > 0 ? node.predictedFinishSeconds : null);
    const real = nodes.map((node) => node.finishSeconds > 0 ? node.finishSeconds : null);
    const all = [...predicted, ...real].filter((v) => v !== null);
    const end = this.data.summary.makespanSeconds || 1;
    const low = Math.min(end, ...all);
    const high = Math.max(end, ...all);
    const pad = Math.max(0.1 * (high - low), 0.03 * end);  // or little differences would look large
    const x = this.axis('seconds', {min: Math.max(0, low - pad), max: high + pad, ticks: {includeBounds: false, callback: (v) => Format.number(v)}});
    return {
      type: 'bar',
      rows: nodes.length,
      caption: this.data.now ? Charts.AHEAD_CAPTION : Charts.FINISH_CAPTION + 'When the real ones stand in one column, all finished together.',
      data: {
        labels: nodes.map((node) => node.name),
        datasets: [
          this.dots('predicted', this.colours.planned, predicted, {backgroundColor: this.colours.card, pointStyle: 'rectRot', pointRadius: 7}),
          this.dots(this.data.now ? 'last result so far' : 'real', this.colours.planned, real),
          {label: '', data: nodes.map((_, i) => predicted[i] !== null && real[i] !== null ? [predicted[i], real[i]] : null),
           backgroundColor: this.colours.soft, barThickness: 2},
        ],
      },
      options: this.options(x, this.axis('', {offset: true}), (item) => `${item.dataset.label}: ${Format.seconds(item.parsed.x)}`,
                            {indexAxis: 'y'}),
    };
  }

  finishCloud(nodes) {
    const points = nodes.filter((node) => node.predictedFinishSeconds > 0 && node.finishSeconds > 0)
        .map((node) => ({x: node.predictedFinishSeconds, y: node.finishSeconds, name: node.name}));
    return this.cloud(nodes, points, 'predicted, seconds', 'real, seconds',
        ({raw}) => raw.name ? `${raw.name}: predicted ${Format.seconds(raw.x)}, real ${Format.seconds(raw.y)}` : 'equal',
        Charts.FINISH_CAPTION + 'The flatter the cloud, the more they finished together.');
  }

  lineStyle(label, colour, data, more = {}) {
    return {label, data, borderColor: colour, backgroundColor: colour, borderWidth: 2, pointStyle: 'line', pointRadius: 0, pointHitRadius: 8, ...more};
  }

  timeAxis(title) {
    return this.axis(title, {type: 'linear', min: 0, max: this.data.summary.makespanSeconds || undefined,
                             ticks: {includeBounds: false, maxRotation: 0, callback: (v) => Format.number(v)}});
  }

  /** Predictions with a band of one sigma, against what it came to. */
  eta() {
    const points = this.data.timeline.events.filter((e) => e.kind === 'eta');
    const end = this.data.summary.makespanSeconds;
    const at = (value) => points.map((e) => ({x: e.start, y: value(e)}));
    const real = this.data.summary.state === 'Complete' ? [{x: 0, y: end}, {x: end, y: end}] : [];
    const band = this.colours.planned + '38';
    const edge = {borderWidth: 0, pointHitRadius: 0, backgroundColor: band};
    const caption = points.length > 0 ? 'The band is one standard deviation to either side.' : 'No prediction was made in this run.';
    return {
      type: 'line',
      caption,
      data: {datasets: [
        this.lineStyle('predicted end', this.colours.planned, at((e) => e.end)),
        this.lineStyle('', band, at((e) => e.end - e.sigma), edge),
        this.lineStyle('± sigma', band, at((e) => e.end + e.sigma), {...edge, pointStyle: 'rect', fill: '-1'}),
        this.lineStyle('real end', this.colours.ink, real, {borderDash: [5, 3], borderWidth: 1.5}),
      ]},
      options: this.options(this.timeAxis('predicted at, seconds'), this.axis('end, seconds', {grace: '10%'}),
                            (item) => `${item.dataset.label}: ${Format.seconds(item.parsed.y)}`,
                            {interaction: {mode: 'nearest', axis: 'x', intersect: false}}),
    };
  }

  progress() {
    const {step, tasks} = this.data.timeline.progress;
    const {tasks: {total}, makespanSeconds: end, startupSeconds: startup} = this.data.summary;
    const points = tasks.map((n, i) => ({x: Math.min((i + 1) * step, end || Infinity), y: n}));
    return {
      type: 'line',
      caption: `${Format.plural(total, 'task')} in all. Tasks may differ in length, so an even run need not be a straight line.`,
      data: {datasets: [
        this.lineStyle('completed tasks', this.colours.planned, [{x: startup || 0, y: 0}, ...points],
                       {fill: 'origin', backgroundColor: this.colours.planned + '30'}),
      ]},
      options: this.options(this.timeAxis('seconds'),
                            this.axis('tasks', {beginAtZero: true, max: total, ticks: {callback: (v) => Format.count(v)}}),
                            (item) => `${Format.count(item.parsed.y)} tasks, ${Format.percent(item.parsed.y / total)}`,
                            {interaction: {mode: 'nearest', axis: 'x', intersect: false}}),
    };
  }
}
