'use strict';

/** The charts that the workload hands over: plain series, of which this page knows nothing else. */
class ResultCharts {
  static COLOURS = 8;
  static POINTS = ['circle', 'rect', 'triangle', 'rectRot', 'cross', 'star', 'crossRot', 'line'];

  /** `style` is the page's Charts, whose axes and colours these take. */
  constructor(box, style) {
    this.box = box;
    this.style = style;
    this.shown = [];  // {chart, view, canvas, caption, drawn}
  }

  /** `charts` as documented in chart_json.h. */
  setData(charts) {
    for (const {drawn} of this.shown) drawn.destroy();
    this.shown = charts.map((chart, i) => this.figure(chart, i));
    this.box.hidden = charts.length === 0;
    this.box.replaceChildren(...this.shown.map(({figure}) => figure));
    this.drawAll();
  }

  figure(chart, number) {
    const figure = element('figure', 'result-chart');
    const head = element('div', 'title-row');
    const title = element('h2', '', chart.title);
    title.id = `result-chart-${number}`;
    head.append(title);
    const shown = {chart, figure, view: chart.views[chart.shownView] ?? chart.views[0], drawn: {destroy() {}}};
    if (chart.views.length > 1) head.append(this.picker(shown));
    const box = element('div', 'chart');
    shown.canvas = element('canvas');
    shown.canvas.setAttribute('role', 'img');
    shown.canvas.setAttribute('aria-labelledby', title.id);
    box.append(shown.canvas);
    figure.append(head, box);
    if (chart.caption) figure.append(element('figcaption', '', chart.caption));
    return shown;
  }

  picker(shown) {
    const {chart} = shown;
    const label = element('label', '', chart.viewTitle);
    const select = element('select');
    select.append(...chart.views.map((view, i) => new Option(view.name, i, view === shown.view, view === shown.view)));
    select.addEventListener('change', () => {
      shown.view = chart.views[select.value];
      this.draw(shown);
    });
    label.append(select);
    return label;
  }

  drawAll() {
    for (const shown of this.shown) this.draw(shown);
  }

  draw(shown) {
    const {chart, view} = shown;
    shown.drawn.destroy();
    shown.drawn = new Chart(shown.canvas, {
      type: 'line',
      data: {datasets: (view ? view.series : []).map((series, i) => this.dataset(chart, series, i))},
      options: this.style.options(this.axis(chart.x), this.axis(chart.y),
          ({dataset, parsed}) => `${dataset.label}: ${Format.number(parsed.x)}, ${Format.number(parsed.y)}`,
          {interaction: {mode: 'nearest', axis: 'xy', intersect: false}}),
    });
  }

  axis({title, logarithmic}) {
    return this.style.axis(title, {
      type: logarithmic ? 'logarithmic' : 'linear',
      ticks: {maxRotation: 0, autoSkip: true, autoSkipPadding: 12, callback: (value) => Format.number(value)},
    });
  }

  dataset(chart, {name, joined, points}, i) {
    const colour = themeColour(`series-${i % ResultCharts.COLOURS + 1}`);
    const drawn = points.filter(([x, y]) => (x > 0 || !chart.x.logarithmic) && (y > 0 || !chart.y.logarithmic));
    return {
      label: name,
      data: drawn.map(([x, y]) => ({x, y})),
      showLine: joined,
      borderColor: colour,
      backgroundColor: colour,
      borderWidth: 1.6,
      borderDash: i >= ResultCharts.COLOURS ? [5, 3] : [],
      pointStyle: ResultCharts.POINTS[i % ResultCharts.POINTS.length],
      pointRadius: joined && drawn.length > 40 ? 0 : 3,
      pointHitRadius: 8,
    };
  }
}
