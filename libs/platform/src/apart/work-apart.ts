import { within } from '@curtail/waiting';
import { ProblemException } from '../problems/problem-exception.js';
import { OneAtATime } from './one-at-a-time.js';
import { Thread, type ThreadProgram } from './thread.js';

/** Limits of one piece of work. */
export interface ApartLimits {
  seconds: number;
  megabytes: number;
}

/** Answers a question in the thread, or in this process if there is none. */
export type Asking<Question, Answer> = (question: Question) => Promise<Answer>;

/** Each keeps its input while it waits or is under way. */
const mostWaiting = 4;

/**
 * Work for clients that would block the process, in which a kill switch or a timer may wait: it runs in a thread, for
 * one client at a time, within limits of time and memory. It ends when its client no longer waits.
 */
export class WorkApart<Question, Answer> {
  private readonly turns: OneAtATime;
  private thread: Thread<Question, Answer> | undefined;

  /**
   * @param what one piece of the work: `preview`.
   * @param here answers if there is no program for a thread.
   * @param remedies for work that took too long, or needs too much memory.
   */
  constructor(
    private readonly what: string,
    private readonly limits: ApartLimits,
    private readonly here: (question: Question) => Answer | Promise<Answer>,
    private readonly remedies: { tooLong: string; tooLarge: string },
    program: ThreadProgram | undefined,
  ) {
    this.turns = new OneAtATime(`${what}s`, mostWaiting);
    if (program) this.use(program);
  }

  /** Answers with this program from now on. */
  use(program: ThreadProgram): void {
    this.thread = new Thread(program, { maxOldGenerationSizeMb: this.limits.megabytes });
  }

  /**
   * Runs a piece of work at its turn.
   *
   * @param signal aborted once the client has left.
   * @throws ProblemException 503 if too many wait, or this one took too long; 422 if it needs too much memory; 499 if
   * the client has left.
   */
  async run<T>(
    work: (ask: Asking<Question, Answer>) => Promise<T>,
    signal = new AbortController().signal,
  ): Promise<T> {
    try {
      return await this.turns.run(() => this.within(work, signal), signal);
    } catch (error) {
      if (signal.aborted) throw this.clientLeft();
      throw error;
    }
  }

  private async within<T>(
    work: (ask: Asking<Question, Answer>) => Promise<T>,
    client: AbortSignal,
  ): Promise<T> {
    try {
      return await within({ ms: this.limits.seconds * 1000, signals: [client] }, (signal) =>
        work((question) => this.ask(question, signal)),
      );
    } catch (error) {
      if ((error as Error).name === 'TimeoutError' && !client.aborted) throw this.tookTooLong();
      if ((error as { code?: string }).code === outOfMemory) throw this.tooLarge();
      throw error;
    }
  }

  private async ask(question: Question, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    return this.thread ? this.thread.ask(question, signal) : this.here(question);
  }

  private tookTooLong(): ProblemException {
    return new ProblemException({
      code: `${this.what}-too-long`,
      title: `The ${this.what} took too long`,
      status: 503,
      detail: `The plans were not made within ${this.limits.seconds} s; nothing was kept.`,
      remedy: this.remedies.tooLong,
    });
  }

  private tooLarge(): ProblemException {
    return new ProblemException({
      code: `${this.what}-too-large`,
      title: `The ${this.what} needs too much memory`,
      status: 422,
      detail: `A plan of it needs more than ${this.limits.megabytes} MB; nothing was kept.`,
      remedy: this.remedies.tooLarge,
    });
  }

  /** No client reads it: it ends the request. */
  private clientLeft(): ProblemException {
    return new ProblemException({
      code: 'client-left',
      title: 'The client has disconnected',
      status: 499,
      detail: `The connection was closed before the ${this.what} was made.`,
      remedy: 'Repeat the request, and wait for the answer.',
    });
  }
}

export const outOfMemory = 'ERR_WORKER_OUT_OF_MEMORY';
