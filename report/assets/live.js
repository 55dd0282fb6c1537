'use strict';

/**
 * Follows a run: asks for what is new as often as the other side wants, goes on by itself when the connection breaks,
 * asks for nothing while nobody sees the page, and becomes the report when the run is over.
 */
class Live {
  static PATIENCE_MS = 15000;
  static LONGEST_PAUSE_S = 10;
  static FINAL = ['Complete', 'Failed'];

  constructor(report) {
    this.report = report;
    this.data = new LiveData();
    this.failures = 0;
    this.drawMs = 0;
    this.wake = () => {};
    for (const name of ['online', 'focus']) addEventListener(name, () => this.wake());
    document.addEventListener('visibilitychange', () => this.wake());
  }

  async follow() {
    for (let pause = 0; pause !== null;) {
      await this.pause(pause);
      try {
        pause = await this.look();
        this.failures = 0;
      } catch {
        pause = Math.min(Live.LONGEST_PAUSE_S, 2 ** this.failures++ / 2);
        delete document.documentElement.dataset.loading;
        const what = this.over ? `The job is over (${this.over}), but its report cannot be fetched` : 'Connection lost';
        this.say(`${what}, trying again${pause >= 1 ? ` in ${Math.round(pause)} s` : ''} …`, 'lost');
      }
    }
  }

  /** Seconds until the next look; null: there is nothing more to come. */
  async look() {
    const answer = JSON.parse(await this.get('live.json?since=' + encodeURIComponent(this.data.at)));
    delete document.documentElement.dataset.loading;
    this.over = answer.over ? answer.state : '';
    if (!answer.over) {
      this.live(answer);
      return Math.max(answer.againSeconds, this.drawMs / 50);  // drawing takes a twentieth of the time at most
    }
    if (this.ended !== answer.state) await this.end(answer);
    return Live.FINAL.includes(answer.state) ? null : 5;  // others may go on
  }

  live(answer) {
    this.ended = undefined;
    this.data.take(answer);
    const data = answer.at && this.data.data();
    if (!data) return this.waiting(answer);
    this.say('', '');
    const began = performance.now();
    this.report.render(data);
    this.drawMs = performance.now() - began;
  }

  /** Before the run has begun, or while it cannot go on. */
  waiting({job, state, reason}) {
    document.getElementById('job').textContent = job;
    document.getElementById('state').textContent = state;
    this.say(reason || 'The run has not begun yet.', '');
  }

  async end(answer) {
    const page = new DOMParser().parseFromString(await this.get('report.html'), 'text/html');
    this.report.render(JSON.parse(page.getElementById('data').textContent));
    this.ended = answer.state;
    this.data.forget();
    this.say(Live.FINAL.includes(answer.state) ? 'The job is over: this is its report.' : 'The job is interrupted: this is the report so far. The page goes on when the job does.', 'over');
  }

  async get(path) {
    const answer = await fetch(path, {cache: 'no-store', signal: AbortSignal.timeout(Live.PATIENCE_MS)});
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return text;
  }

  say(text, kind) {
    const box = document.getElementById('connection');
    if (box.textContent !== text) box.textContent = text;
    box.dataset.kind = kind;
    box.hidden = text === '';
    document.body.dataset.stale = kind === 'lost';
  }

  /** At least so long, and until somebody sees the page. */
  async pause(seconds) {
    if (seconds > 0) {
      await new Promise((done) => {
        const timer = setTimeout(done, 1000 * seconds);
        this.wake = () => { if (this.failures > 0) { clearTimeout(timer); done(); } };
      });
    }
    while (document.hidden) await new Promise((done) => { this.wake = done; });
    this.wake = () => {};
  }
}

const live = new Live(report);
if (JSON.parse(document.getElementById('data').textContent).live) live.follow();
