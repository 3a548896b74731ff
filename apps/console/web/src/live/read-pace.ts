/** The shortest and the longest pause between two readings. */
const pauseMs = { shortest: 250, longest: 15_000 };
/** Reading takes at most so large a part of the time while news go on: a busy server is asked less often. */
const share = 1 / 20;
/** So much reading is spared up in quiet times: a few news one after the other are each read at once. */
const mostSparedMs = 3000;
/** The tables behind the answers follow the log: what was read at once may be a little older than the last event. */
const settledMs = 500;
/** After the last news this part of the time goes to reading, for that one reading: who follows a run waits for its end. */
const settledShare = 1 / 5;
/** News that follow each other within this time go on; after four of them, the next are waited for before what is shown counts as settled. */
const goingOn = { ms: 6000, news: 4, wait: 1.25 };

/** What a reading is for: news while there may be more, or the last ones. */
type Reading = 'goingOn' | 'settled';

/**
 * Decides when a page reads again what it shows. News after a quiet time are read at once. While they go on for long, reading pauses in
 * proportion to the time that it takes, so that many pages cannot overload a server. Some time after the last news what they concern is read
 * once more, also where reading would still pause for long.
 */
export class ReadPace<N = unknown> {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private settled: ReturnType<typeof setTimeout> | undefined;
  private isReading = false;
  private isDue: Reading | false = false;
  /** Not before this time, by `now`. */
  private notBefore = { goingOn: 0, settled: 0 };
  /** Reading that may follow at once, in milliseconds, as of `sparedAt`; negative: it has to pause. */
  private spared = mostSparedMs;
  private sparedAt = 0;
  /** What there is to read again for. Kept until a reading begins so late that the tables have it. */
  private unsettled: { news: N; at: number }[] = [];
  /** How many news followed each other, and when the last ones came. */
  private following = 0;
  private lastAt = Number.NEGATIVE_INFINITY;

  /** @param read given the news that it is for. @param now milliseconds of a clock that never goes back. */
  constructor(
    private readonly read: (news: N[]) => Promise<unknown>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  news(...all: N[]): void {
    const at = this.now();
    const sinceMs = at - this.lastAt;
    this.following = sinceMs < goingOn.ms ? this.following + 1 : 0;
    this.lastAt = at;
    this.unsettled.push(...all.map((news) => ({ news, at })));
    clearTimeout(this.settled);
    const waitMs = this.following < goingOn.news ? 0 : goingOn.wait * sinceMs;
    this.settled = setTimeout(() => this.soon('settled'), Math.max(settledMs, waitMs));
    this.soon('goingOn');
  }

  /** Reads once, when it may: for what no event tells of. What was read before settles as if this had not been asked for. */
  again(news: N): void {
    this.unsettled.push({ news, at: Number.NEGATIVE_INFINITY });
    this.soon('goingOn');
  }

  stop(): void {
    clearTimeout(this.timer);
    clearTimeout(this.settled);
    this.timer = undefined;
    this.isDue = false;
  }

  private soon(why: Reading): void {
    if (this.isReading) {
      if (this.isDue !== 'settled') this.isDue = why;
      return;
    }
    if (why === 'settled') {
      clearTimeout(this.timer);
      this.timer = undefined;
    }
    this.timer ??= setTimeout(() => void this.run(), Math.max(0, this.notBefore[why] - this.now()));
  }

  private async run(): Promise<void> {
    this.timer = undefined;
    // A reading that was due anyway began late enough.
    if (this.unsettled.length === 0) return;
    this.isReading = true;
    const began = this.now();
    const news = this.unsettled.map((each) => each.news);
    this.unsettled = this.unsettled.filter(({ at }) => began - at < settledMs);
    try {
      await this.read(news);
    } finally {
      const ended = this.now();
      const refilled = Math.min(mostSparedMs, this.spared + (began - this.sparedAt) * share);
      this.spared = refilled - (ended - began) * (1 - share);
      this.sparedAt = ended;
      const pause = (ms: number) => ended + Math.min(pauseMs.longest, Math.max(pauseMs.shortest, ms));
      const goingOn = pause(-this.spared / share);
      const settled = pause((ended - began) * (1 / settledShare - 1));
      this.notBefore = { goingOn, settled: Math.min(goingOn, settled) };
      this.isReading = false;
      const due = this.isDue;
      this.isDue = false;
      if (due) this.soon(due);
    }
  }
}
