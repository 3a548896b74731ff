import { type Cursor, isBefore } from '@curtail/event-store';

/**
 * So long after it was begun, an answer is given to others: pages that are told of an event together ask together. The tables behind the answers
 * follow the log, and pages ask once more half a second after their last news: an answer from before that must be gone by then.
 */
export const sharedForMs = { atOnce: 400, settled: 2000 };
const settledAfterMs = 500;
/** Beyond these, answers are given to nobody else. */
const most = { answers: 200, bytes: 64 * 1024 * 1024 };

interface Shared<A> {
  /** The process had read the log up to here before the answer was begun: it knows all events until then. */
  readUpTo: Cursor;
  answer: Promise<A | undefined>;
  bytes: number;
}

/**
 * Answers that several pages ask for at the same time: one computes it, the others wait for it. Nobody is given an answer that is older than
 * the last event that it has been told of.
 */
export class SharedAnswers<A extends { bytes: number }> {
  private readonly kept = new Map<string, Shared<A>>();
  private bytes = 0;

  /**
   * @param key everything that the answer depends on.
   * @param told up to where the caller has been told of the log.
   * @returns an answer that knows all that; it becomes undefined where it failed. Undefined: there is none.
   */
  find(key: string, told: Cursor): Promise<A | undefined> | undefined {
    const shared = this.kept.get(key);
    return shared && !isBefore(shared.readUpTo, told) ? shared.answer : undefined;
  }

  /**
   * Call it before the answer is begun.
   *
   * @param quietMs since pages were told of something. @returns a function that takes the answer; undefined: it failed. Only its first call counts.
   */
  begin(key: string, readUpTo: Cursor, quietMs: number): (answer: A | undefined) => void {
    let settle: (answer: A | undefined) => void = () => {};
    const answer = new Promise<A | undefined>((resolve) => {
      settle = resolve;
    });
    this.forget(key, this.kept.get(key));
    if (this.kept.size >= most.answers || this.bytes >= most.bytes) return settle;
    const shared: Shared<A> = { readUpTo, answer, bytes: 0 };
    this.kept.set(key, shared);
    const forMs = quietMs < settledAfterMs ? sharedForMs.atOnce : sharedForMs.settled;
    setTimeout(() => this.forget(key, shared), forMs).unref();
    void answer.then((given) => {
      if (this.kept.get(key) !== shared) return;
      if (given === undefined) return this.forget(key, shared);
      shared.bytes = given.bytes;
      this.bytes += given.bytes;
    });
    return settle;
  }

  private forget(key: string, shared: Shared<A> | undefined): void {
    if (shared === undefined || this.kept.get(key) !== shared) return;
    this.kept.delete(key);
    this.bytes -= shared.bytes;
  }
}
