import { within } from '#waiting';

/** Who waits for a read, and how long. */
export interface Waiter {
  /** Reads of one lane are done one after the other. */
  lane: string;
  ms: number;
  gone: AbortSignal;
}

interface Read<T> {
  answer: Promise<T>;
  waiting: number;
  /** Aborted once no one waits for it. */
  over: AbortController;
}

/**
 * Reads that many may ask for at the same time: a read that has not begun is shared by all who ask for the same until it begins. So each
 * answer is of a read that began after its question, and however many ask, each lane does one read at a time.
 */
export class SharedReads<T> {
  /** The end of the last read of each lane, which never rejects. */
  private readonly ends = new Map<string, Promise<unknown>>();
  /** Those that have not begun, by lane and key. */
  private readonly next = new Map<string, Read<T>>();

  /**
   * @param key what is read.
   * @param read observes the signal, which aborts once no one waits any more.
   * @throws the error of `read`, the reason of `gone`, or a `TimeoutError`.
   */
  async ask(key: string, { lane, ms, gone }: Waiter, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    gone.throwIfAborted();
    const place = JSON.stringify([lane, key]);
    const shared = this.next.get(place) ?? this.plan(place, lane, read);
    shared.waiting++;
    try {
      return await within({ ms, signals: [gone] }, () => shared.answer);
    } finally {
      shared.waiting--;
      if (shared.waiting === 0) {
        shared.over.abort();
        if (this.next.get(place) === shared) this.next.delete(place);
      }
    }
  }

  private plan(place: string, lane: string, read: (signal: AbortSignal) => Promise<T>): Read<T> {
    const over = new AbortController();
    const before = this.ends.get(lane) ?? Promise.resolve();
    const answer = before.then(() => {
      if (this.next.get(place) === shared) this.next.delete(place);
      over.signal.throwIfAborted();
      return read(over.signal);
    });
    const shared: Read<T> = { answer, waiting: 0, over };
    this.next.set(place, shared);
    const end = answer.then(
      () => {},
      () => {},
    );
    this.ends.set(lane, end);
    void end.then(() => {
      if (this.ends.get(lane) === end) this.ends.delete(lane);
    });
    return shared;
  }
}
