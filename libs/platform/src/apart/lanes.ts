import type { WorkerOptions } from 'node:worker_threads';
import type { Caller } from '../http/client.js';
import { Thread, type ThreadProgram } from './thread.js';
import { Turns } from './turns.js';

/** Pieces of work of a lane that may wait or be under way: each keeps its input. */
const most = { ofLane: 8, ofOneCaller: 2 };

/** The turns at one thread. */
export interface Lane<Question, Answer> {
  turns: Turns;
  /** Undefined: there is no program for a thread. */
  thread: Thread<Question, Answer> | undefined;
}

/**
 * Two threads: operators have one of their own, so that they never wait for the work of a team or of the bearer of a link. A thread starts with
 * its first work, so that there is one where everyone is an operator.
 */
export class Lanes<Question, Answer> {
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
