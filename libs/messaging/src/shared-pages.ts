import type { DataSource } from 'typeorm';
import { type Cursor, type EventPage, readPage, type WakeListener } from '#event-store';

/** Events read with one statement. */
const pageSize = 1000;
/** Kept for consumers that read later: enough for those that batch events. The bytes are compressed ones. */
const kept = { pages: 200, events: 5000, bytes: 4 * 1024 * 1024 };
/** Of a burst, such as a configuration that changes very many quotas, more is kept as long as slower consumers may follow. */
const keptOfBurst = { events: 30_000, bytes: 16 * 1024 * 1024, ms: 10_000 };
/** While a consumer handles a full page, the next one is read, unless the full one has more bytes than this. */
const aheadBytes = 1024 * 1024;

/**
 * The log as all consumers of a process read it: a page that one has read need not be read from the database again for
 * the others. Most of the time all of them are at the end of the log, and each commit wakes them all.
 *
 * A page begins after a cursor, so pages form a chain; its content was settled when it was read and never changes. The
 * end of the chain is read again after each wake-up.
 */
export class SharedPages {
  private readonly pages = new Map<string, EventPage & { readAt: number }>();
  private held = { events: 0, bytes: 0 };
  private reading: { from: string; wakes: number; page: Promise<EventPage> } | undefined;
  /** The known end of the log, the number of wake-ups by then, and when it was read, by `performance.now()`. */
  private end: { at: string; wakes: number; foundAt: number } | undefined;
  private wakes = 0;
  /** The place behind the page that was read last, and whether the next one is read ahead: not the page, which may be too long to be kept. */
  private last: { at: string; isFollowed: boolean } | undefined;
  private readonly topics = new Set<string>();

  constructor(
    private readonly database: DataSource,
    private readonly wake: WakeListener,
  ) {}

  /** Reads events of these topics too from now on. Call it before the first `read`. */
  include(topics: readonly string[]): void {
    // Without readers there is nothing to wake.
    if (this.topics.size === 0) this.wake.onWake(() => this.wakes++);
    for (const topic of topics) this.topics.add(topic);
  }

  /**
   * Events after a cursor, as `readPage` returns them; those of other consumers' topics are among them.
   *
   * @param trustedMs the time for which, without a wake-up, a known end of the log is not queried again: consumers that check
   *   periodically share their checks.
   */
  async read(from: Cursor, trustedMs: number): Promise<EventPage> {
    const before = this.follow(from);
    if (before.next !== from) {
      this.readAhead(before.next);
      return before;
    }
    const at = keyOf(from);
    const nothing: EventPage = { events: [], next: from, heldBack: false, atEnd: true, bytes: 0 };
    for (;;) {
      const wakes = this.wakes;
      if (this.end?.at === at && this.end.wakes === wakes && performance.now() - this.end.foundAt < trustedMs)
        return nothing;
      const reading = this.reading?.from === at ? this.reading : this.begin(from, at);
      const page = await reading.page;
      if (page.next !== from) this.readAhead(page.next);
      // A read that began before the last wake-up may have missed its events.
      if (page.next !== from || reading.wakes >= wakes) return page;
    }
  }

  /** Reads the page after a full one. The consumer that waits for this read gets its error; without one, the page is read again later. */
  private readAhead(from: Cursor): void {
    const at = keyOf(from);
    if (this.reading || this.pages.has(at) || this.last?.at !== at) return;
    if (this.last.isFollowed) this.begin(from, at).page.catch(() => {});
  }

  private begin(from: Cursor, at: string): { from: string; wakes: number; page: Promise<EventPage> } {
    const { wakes } = this;
    const foundAt = performance.now();
    const page = readPage(this.database, from, { topics: [...this.topics], limit: pageSize })
      .then((read) => {
        if (read.next !== from) {
          this.keep(at, read);
          const isFollowed = !read.atEnd && !read.heldBack && read.bytes <= aheadBytes;
          this.last = { at: keyOf(read.next), isFollowed };
        }
        if (read.atEnd) this.end = { at: keyOf(read.next), wakes, foundAt };
        return read;
      })
      .finally(() => {
        if (this.reading === reading) this.reading = undefined;
      });
    const reading = { from: at, wakes, page };
    this.reading = reading;
    return reading;
  }

  private follow(from: Cursor): EventPage {
    const all: EventPage = { events: [], next: from, heldBack: false, atEnd: true, bytes: 0 };
    for (let page = this.pages.get(keyOf(from)); page; page = this.pages.get(keyOf(all.next))) {
      if (all.events.length > 0 && all.events.length + page.events.length > pageSize) break;
      all.events.push(...page.events);
      all.next = page.next;
      all.bytes += page.bytes;
    }
    return all;
  }

  private keep(at: string, page: EventPage): void {
    if (this.pages.has(at)) return;
    const readAt = performance.now();
    this.pages.set(at, { ...page, readAt });
    this.hold(page, 1);
    for (const [oldest, old] of this.pages) {
      const { events, bytes } = this.held;
      const most = readAt - old.readAt < keptOfBurst.ms ? keptOfBurst : kept;
      if (events <= most.events && bytes <= most.bytes && this.pages.size <= kept.pages) break;
      this.pages.delete(oldest);
      this.hold(old, -1);
    }
  }

  private hold({ events, bytes }: EventPage, sign: 1 | -1): void {
    this.held.events += sign * events.length;
    this.held.bytes += sign * bytes;
  }
}

function keyOf({ transactionId, position }: Cursor): string {
  return `${transactionId}/${position}`;
}
