import { type Cursor, isBefore } from '#event-store';

/**
 * How long an answer is shared after it was begun. Pages that learn of an event at the same time also ask at the same time. The tables behind the
 * answers follow the log, and pages ask once more half a second after the last event: an answer from before that must have expired by then.
 */
export const sharedForMs = { atOnce: 400, settled: 2000 };
const settledAfterMs = 500;
/** Beyond these limits, answers are not shared. */
const most = { answers: 200, bytes: 64 * 1024 * 1024 };

interface Shared<A> {
  /** The process had read the log up to here before the answer was begun, so the answer includes all events up to here. */
  readUpTo: Cursor;
  answer: Promise<A | undefined>;
  bytes: number;
}

/**
 * Answers that several pages ask for at the same time: the server computes each once, and the other callers wait for it. No caller gets an answer
 * that is older than the last event that it knows.
 */
export class SharedAnswers<A extends { bytes: number }> {
  private readonly kept = new Map<string, Shared<A>>();
  private bytes = 0;

  /**
   * @param key everything that the answer depends on.
   * @param told the position in the log up to which the caller knows it.
   * @returns an answer that is not older; it resolves to undefined if it failed. Undefined: there is none.
   */
  find(key: string, told: Cursor): Promise<A | undefined> | undefined {
    const shared = this.kept.get(key);
    return shared && !isBefore(shared.readUpTo, told) ? shared.answer : undefined;
  }

  /**
   * Call it before the answer is begun.
   *
   * @param quietMs the time since the last event was sent to pages.
   * @returns a function that takes the answer, or undefined if it failed. Only its first call counts.
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
