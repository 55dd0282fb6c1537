'use strict';

/** A table that shows its first rows, those with a text in them, or all. */
class Overview {
  static FIRST = 50;

  /** `columns`: [heading, is it text, row => the content of its cell]; `words`: row => the text that is searched. */
  constructor(name, noun, columns, words) {
    this.table = document.getElementById(name);
    this.noun = noun;
    this.columns = columns;
    this.words = words;
    this.rows = [];
    this.find = document.getElementById('find-' + name);
    this.find.addEventListener('input', () => this.draw());
    this.more = document.getElementById('more-' + name);
    this.more.firstElementChild.addEventListener('click', () => { this.all = true; this.draw(); });
    const head = element('tr');
    for (const [heading, isText] of columns) head.append(element('th', isText ? 'text' : '', heading));
    this.body = element('tbody');
    const top = element('thead');
    top.append(head);
    this.table.append(top, this.body);
  }

  show(rows, empty) {
    this.rows = rows;
    this.empty = empty;
    this.draw();
  }

  draw() {
    const wanted = this.find.value.trim().toLowerCase();
    const found = wanted ? this.rows.filter((row) => this.words(row).toLowerCase().includes(wanted)) : this.rows;
    const shown = this.all ? found : found.slice(0, Overview.FIRST);
    this.body.replaceChildren(...shown.map((row) => this.row(row)));
    if (shown.length === 0) this.body.append(this.nothing(wanted ? 'nothing of this name' : this.empty));
    this.more.hidden = shown.length === found.length;
    this.more.firstElementChild.textContent = `Show all ${Format.plural(found.length, this.noun)}`;
  }

  row(row) {
    const line = element('tr');
    line.dataset.state = row.state;
    for (const [, isText, content] of this.columns) {
      const cell = element('td', isText ? 'text' : '');
      const made = content(row, cell);
      if (made !== undefined) cell.append(...[made].flat());
      line.append(cell);
    }
    return line;
  }

  nothing(text) {
    const line = element('tr');
    const cell = element('td', 'none', text);
    cell.colSpan = this.columns.length;
    line.append(cell);
    return line;
  }
}

/** The page of all jobs and boards; shows what /boards.json says. */
class Boards extends Poller {
  static COLOURS = 8;

  constructor() {
    super();
    this.colours = new Map();
    this.jobs = new Overview('jobs', 'job', [
      ['Job', true, (job) => [this.dot(job.namespace, job.name), job.name, ...this.namespace(job)]],
      ['State', true, (job) => this.state(job)],
      ['Progress', false, (job) => this.progress(job)],
      ['ETA', false, (job) => job.etaSeconds === null ? '–' : Format.roughly(job.etaSeconds)],
      ['Workers', false, (job) => Format.count(job.workers)],
      ['Requests each', false, (job) => `${Boards.cpu(job.cpu)}, ${Boards.memory(job.memory)}`],
      ['Priority class', true, (job) => job.priorityClass || '–'],
      ['Waits for', true, (job, cell) => {
        cell.classList.add('waits');
        cell.dataset.tone = job.tone;
        return job.waits;
      }],
    ], (job) => `${job.namespace}/${job.name}`);
    this.boards = new Overview('boards', 'board', [
      ['Board', true, (board) => board.name],
      ['State', true, (board) => Boards.STATES[board.state] ?? board.state],
      ['Cores', false, (board) => board.cpu === null ? '–' : Format.number(board.cpu / 1000)],
      ['Memory', false, (board) => board.memory === null ? '–' : Boards.memory(board.memory)],
      ['Requested CPU', false, (board) => this.requested(board)],
      ['Workers of jobs', true, (board) => this.workers(board)],
    ], (board) => [board.name, ...board.workers.map((worker) => `${worker.namespace}/${worker.job}`)].join(' '));
  }

  static STATES = {Ready: 'ready', NotReady: 'not ready', Cordoned: 'cordoned', Unknown: 'unknown'};

  static cpu(millicores) {
    return millicores % 1000 === 0 ? Format.plural(millicores / 1000, 'core') : `${millicores}m`;
  }

  /** Bytes as Kubernetes writes them: 64 MiB, 3.7 GiB. */
  static memory(bytes) {
    const mebibytes = bytes / 1048576;
    return mebibytes < 1024 ? `${Math.round(mebibytes)} MiB` : `${Format.number(Math.round(mebibytes / 102.4) / 10)} GiB`;
  }

  colour(namespace, job) {
    const key = `${namespace}/${job}`;
    if (!this.colours.has(key)) this.colours.set(key, this.colours.size % Boards.COLOURS + 1);
    return `var(--series-${this.colours.get(key)})`;
  }

  dot(namespace, job) {
    const dot = element('span', 'dot');
    dot.style.background = this.colour(namespace, job);
    return dot;
  }

  namespace({namespace}) {
    return this.severalNamespaces ? [element('span', 'namespace', namespace)] : [];
  }

  state({state, tone}) {
    const label = element('span', 'state', state);
    label.dataset.tone = tone;
    return label;
  }

  progress({progress, completed, total}) {
    if (total === 0) return '–';
    const meter = element('div', 'meter');
    const done = element('div');
    done.style.width = `${100 * progress}%`;
    meter.append(done);
    meter.title = `${Format.count(completed)} of ${Format.plural(total, 'task')}`;
    return [Format.percent(progress, 0), meter];
  }

  requested({cpu, requestedCpu, workers}) {
    if (cpu === null || cpu === 0) return Boards.cpu(requestedCpu);
    const bar = element('div', 'shares');
    for (const worker of workers) {
      if (worker.state === 'Pending') continue;
      const part = element('div');
      part.style.width = `${100 * worker.cpu / Math.max(cpu, requestedCpu)}%`;
      part.style.background = this.colour(worker.namespace, worker.job);
      bar.append(part);
    }
    const share = Format.percent(requestedCpu / cpu, 0);
    return [requestedCpu === 0 ? share : `${Boards.cpu(requestedCpu)} (${share})`, bar];
  }

  workers({workers, workerCount}) {
    if (workers.length === 0) return element('span', 'none', 'none');
    const list = element('ul', 'workers');
    for (const worker of workers) {
      const name = this.severalNamespaces ? `${worker.namespace}/${worker.job}` : worker.job;
      const item = element('li');
      item.dataset.state = worker.state;
      const slots = worker.slots > 0 ? `${Format.plural(worker.slots, 'slot')}, ` : '';
      const state = worker.state === 'Running' ? '' : `, ${worker.state === 'Pending' ? 'no room yet' : worker.state.toLowerCase()}`;
      item.append(this.dot(worker.namespace, worker.job), name, element('span', 'what', `${slots}${Boards.cpu(worker.cpu)}${state}`));
      list.append(item);
    }
    if (workerCount > workers.length) list.append(element('li', '', `and ${Format.count(workerCount - workers.length)} more`));
    return list;
  }

  figures({boards, jobs, boardsTotal}) {
    const sum = (rows, field) => rows.reduce((total, row) => total + (row[field] ?? 0), 0);
    const running = jobs.filter((job) => job.state === 'Progressing').length;
    const waiting = jobs.filter((job) => job.tone === 'waits').length;
    const ready = boards.filter((board) => board.state === 'Ready').length;
    const known = boards.filter((board) => board.cpu !== null);
    const cpu = sum(known, 'cpu');
    const requested = sum(known, 'requestedCpu');
    const rows = [
      ['Jobs that run', Format.count(running), `${Format.count(jobs.filter((job) => job.tone === 'suspended').length)} suspended`],
      ['Jobs that wait', Format.count(waiting), 'wholly, or for more boards'],
      ['Boards', Format.count(boardsTotal), known.length > 0 ? `${Format.count(ready)} ready` : 'of those with workers'],
      ['Requested CPU', cpu > 0 ? Format.percent(requested / cpu, 0) : Boards.cpu(sum(boards, 'requestedCpu')), cpu > 0 ? `${Format.number(requested / 1000)} of ${Format.plural(cpu / 1000, 'core')}` : ''],
    ];
    document.getElementById('figures').replaceChildren(...rows.map(([name, value, note]) => {
      const box = element('div');
      box.append(element('dt', '', name), element('dd', 'value', value), element('dd', 'note', note));
      return box;
    }));
  }

  show(answer) {
    this.severalNamespaces = answer.allNamespaces;
    const age = answer.ageSeconds >= 10 ? ` · as of ${Format.roughly(answer.ageSeconds)} ago` : '';
    document.getElementById('facts').textContent =
      `${answer.allNamespaces ? 'All namespaces' : answer.namespace ? `Namespace ${answer.namespace}` : 'One namespace'}${age}`;
    const notes = document.getElementById('notes');
    notes.replaceChildren(...answer.notes.map((note) => element('li', '', note)));
    notes.hidden = answer.notes.length === 0;
    this.figures(answer);
    this.jobs.show(answer.jobs, 'There are no jobs here. kubectl apply -f JOB.yaml creates one.');
    this.boards.show(answer.boards, 'No boards are known.');
  }

  async look() {
    const answer = JSON.parse(await this.get('boards.json'));
    delete document.documentElement.dataset.loading;
    this.say(answer.trouble ? `The cluster does not answer: ${answer.trouble}` : '', answer.trouble ? 'lost' : '');
    return this.draw(() => this.show(answer), answer.againSeconds);
  }
}

const boardsPage = new Boards();
boardsPage.follow();
