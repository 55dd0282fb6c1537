'use strict';

/** Follows a run, and becomes the report when the run is over. */
class Live extends Poller {
  static FINAL = ['Complete', 'Failed'];

  constructor(report) {
    super();
    this.report = report;
    this.data = new LiveData();
  }

  trouble() {
    return this.over ? `The job is over (${this.over}), but its report cannot be fetched` : 'Connection lost';
  }

  async look() {
    const answer = JSON.parse(await this.get('live.json?since=' + encodeURIComponent(this.data.at)));
    delete document.documentElement.dataset.loading;
    this.over = answer.over ? answer.state : '';
    if (!answer.over) return this.live(answer);
    if (this.ended !== answer.state) await this.end(answer);
    return Live.FINAL.includes(answer.state) ? null : 5;  // others may go on
  }

  /** Seconds until the next look. */
  live(answer) {
    this.ended = undefined;
    this.data.take(answer);
    const data = answer.at && this.data.data();
    if (!data) {
      this.waiting(answer);
      return answer.againSeconds;
    }
    this.say('', '');
    return this.draw(() => this.report.render(data), answer.againSeconds);
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
}

const live = new Live(report);
if (JSON.parse(document.getElementById('data').textContent).live) live.follow();
