'use strict';

/**
 * Asks the page's own origin for data again and again: continues when the connection breaks, and asks for nothing while
 * nobody sees the page. Subclasses define look().
 */
class Poller {
  static PATIENCE_MS = 15000;
  static LONGEST_PAUSE_S = 10;

  constructor() {
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
        pause = Math.min(Poller.LONGEST_PAUSE_S, 2 ** this.failures++ / 2);
        delete document.documentElement.dataset.loading;
        this.say(`${this.trouble()}, trying again${pause >= 1 ? ` in ${Math.round(pause)} s` : ''} …`, 'lost');
      }
    }
  }

  /** Fetches and shows data. Resolves to the seconds until the next look, null at the end; rejects without an answer. */
  async look() {
    throw new Error('look() is not defined');
  }

  trouble() {
    return 'Connection lost';
  }

  /** Shows data, and returns the seconds until the next look: drawing takes a twentieth of the time at most. */
  draw(show, againSeconds) {
    const began = performance.now();
    show();
    this.drawMs = performance.now() - began;
    return Math.max(againSeconds, this.drawMs / 50);
  }

  async get(path) {
    const answer = await fetch(path, {cache: 'no-store', signal: AbortSignal.timeout(Poller.PATIENCE_MS)});
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
