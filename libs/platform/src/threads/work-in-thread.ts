import type { WorkerOptions } from 'node:worker_threads';
import { within } from '#waiting';
import { type Caller, type CallingClient, ownWork } from '../http/client.js';
import { ProblemException } from '../problems/problem.js';
import { Thread, type ThreadProgram } from './thread.js';
import { Turns } from './turns.js';

/** Limits of one piece of work. */
export interface ThreadLimits {
  seconds: number;
  megabytes: number;
}

/** The words of one kind of work. */
export interface ThreadWords {
  /** One piece of it, also in codes: `preview`. */
  what: string;
  /** What would be right where it took too long, or needs too much memory. */
  remedies: { tooLong: string; tooLarge: string };
}

/**
 * Answers a question in the thread, or in this process if there is none.
 *
 * @param isLast ends the thread with the answer: one that has worked for long keeps much memory while it is idle.
 */
export type Asking<Question, Answer> = (question: Question, isLast?: boolean) => Promise<Answer>;

/**
 * Work for clients that would block the process, in which a kill switch or a timer may wait: it runs in a thread, for one client at a time, in
 * turns, within limits of time and memory. Operators have a thread of their own. Work ends when its client no longer waits.
 */
export class WorkInThread<Question, Answer> {
  private readonly lanes: Lanes<Question, Answer>;

  /**
   * @param here answers if there is no program for a thread.
   * @param megabytes of each thread.
   */
  constructor(
    private readonly words: ThreadWords,
    private readonly limits: ThreadLimits,
    private readonly here: (question: Question) => Answer | Promise<Answer>,
    program: ThreadProgram | undefined,
  ) {
    this.lanes = new Lanes(`${words.what}s`, { maxOldGenerationSizeMb: limits.megabytes });
    if (program) this.use(program);
  }

  /** Answers with this program from now on. */
  use(program: ThreadProgram): void {
    this.lanes.use(program);
  }

  /**
   * Runs a piece of work at its turn.
   *
   * @throws ProblemException 503 if too many wait, or this one took too long; 429 if too many of this client wait; 422 if it needs too much
   * memory; 499 if the client has left.
   */
  async run<T>(
    work: (ask: Asking<Question, Answer>) => Promise<T>,
    client: CallingClient = ownWork,
  ): Promise<T> {
    const lane = this.lanes.of(client);
    try {
      return await lane.turns.run(() => this.within(work, lane, client.gone), client);
    } catch (error) {
      if (client.gone.aborted) throw this.clientLeft();
      throw error;
    }
  }

  private async within<T>(
    work: (ask: Asking<Question, Answer>) => Promise<T>,
    lane: Lane<Question, Answer>,
    gone: AbortSignal,
  ): Promise<T> {
    try {
      return await within({ ms: this.limits.seconds * 1000, signals: [gone] }, (signal) =>
        work((question, isLast) => this.ask(question, lane, { signal, isLast })),
      );
    } catch (error) {
      if ((error as Error).name === 'TimeoutError' && !gone.aborted) throw this.tookTooLong();
      if ((error as { code?: string }).code === outOfMemory) throw this.tooLarge();
      throw error;
    }
  }

  private async ask(
    question: Question,
    { thread }: Lane<Question, Answer>,
    { signal, isLast = false }: { signal: AbortSignal; isLast?: boolean | undefined },
  ): Promise<Answer> {
    signal.throwIfAborted();
    if (!thread) return this.here(question);
    const answer = await thread.ask(question, signal);
    if (isLast) void thread.end();
    return answer;
  }

  private tookTooLong(): ProblemException {
    return new ProblemException(
      {
        code: `${this.words.what}-too-long`,
        title: `The ${this.words.what} took too long`,
        status: 503,
        detail: `The ${this.words.what} was not done within ${this.limits.seconds} s; nothing was kept.`,
        remedy: this.words.remedies.tooLong,
        retryAfterSeconds: this.limits.seconds,
      },
      { 'Retry-After': String(this.limits.seconds) },
    );
  }

  private tooLarge(): ProblemException {
    return new ProblemException({
      code: `${this.words.what}-too-large`,
      title: `The ${this.words.what} needs too much memory`,
      status: 422,
      detail: `It needs more than ${this.limits.megabytes} MB; nothing was kept.`,
      remedy: this.words.remedies.tooLarge,
    });
  }

  /** No client reads it: it ends the request. */
  private clientLeft(): ProblemException {
    return new ProblemException({
      code: 'client-left',
      title: 'The client has disconnected',
      status: 499,
      detail: `The connection was closed before the ${this.words.what} was made.`,
      remedy: 'Repeat the request, and wait for the answer.',
    });
  }
}

export const outOfMemory = 'ERR_WORKER_OUT_OF_MEMORY';

/** Pieces of work of a lane that may wait or be under way: each keeps its input. */
const most = { ofLane: 8, ofOneCaller: 2 };

/** The turns at one thread. */
interface Lane<Question, Answer> {
  turns: Turns;
  /** Undefined: there is no program for a thread. */
  thread: Thread<Question, Answer> | undefined;
}

/**
 * Two threads: operators have one of their own, so that they never wait for the work of a team or of the bearer of a link. A thread starts with
 * its first work, so that there is one where everyone is an operator.
 */
class Lanes<Question, Answer> {
  private readonly operators: Lane<Question, Answer>;
  private readonly others: Lane<Question, Answer>;

  /** @param what a piece of the work, in the plural: `previews`. @param limits of the memory of each thread. */
  constructor(
    what: string,
    private readonly limits: NonNullable<WorkerOptions['resourceLimits']>,
  ) {
    const all = { all: most.ofLane, kept: 0, each: most.ofOneCaller };
    this.operators = { turns: new Turns(what, all), thread: undefined };
    this.others = { turns: new Turns(what, all), thread: undefined };
  }

  of({ isOperator }: Caller): Lane<Question, Answer> {
    return isOperator ? this.operators : this.others;
  }

  /** Answers with this program from now on. */
  use(program: ThreadProgram): void {
    for (const lane of [this.operators, this.others]) lane.thread = new Thread(program, this.limits);
  }
}
