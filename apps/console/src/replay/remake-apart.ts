import type { PackedChunk } from '@curtail/event-store';
import {
  type Asking,
  builtProgram,
  OneAtATime,
  outOfMemory,
  Thread,
  type ThreadProgram,
  WorkApart,
} from '@curtail/platform';
import { Inject, Injectable } from '@nestjs/common';
import { type PlanOrigin, type Replanned, remade } from './made-again.js';

/** A recorded plan that is wanted again, and its packed input; a copy of it goes to the thread. */
export interface RemakeQuestion {
  origin: PlanOrigin;
  packed: PackedChunk[];
}

export type Remake = Asking<RemakeQuestion, Replanned>;

/** Limits of the plans of one explanation, or of one plan of a replay. */
export interface RemakeLimits {
  previewSeconds: number;
  previewMegabytes: number;
}
export const REMAKE_LIMITS = Symbol('RemakeLimits');

/** Replays into digest and shadow may run beside each other, and each asks for one plan at a time. */
const mostReplays = 2;

/**
 * Makes recorded plans again without holding up the process, in which a stop may wait for its turn: in one thread those of
 * explanations, for one client at a time, in another one those of replays, which no client waits for.
 */
@Injectable()
export class RemakeApart {
  private readonly explanations: WorkApart<RemakeQuestion, Replanned>;
  private readonly replays = new OneAtATime('plans of replays', mostReplays);
  private readonly thread: Thread<RemakeQuestion, Replanned> | undefined;

  constructor(@Inject(REMAKE_LIMITS) private readonly limits: RemakeLimits) {
    const program = builtProgram('remaking-thread', import.meta.url);
    this.thread = program && new Thread(program, { maxOldGenerationSizeMb: limits.previewMegabytes });
    this.explanations = new WorkApart(
      'explanation',
      { seconds: limits.previewSeconds, megabytes: limits.previewMegabytes },
      remade,
      {
        tooLong: 'Ask with `limit`, which makes no large plan again, or raise CURTAIL_PREVIEW_SECONDS.',
        tooLarge:
          'Ask with `limit`, which makes no large plan again, or raise CURTAIL_PREVIEW_MEGABYTES, and the memory of the service with it.',
      },
      program,
    );
  }

  /** Explanations have their plans from this program from now on. */
  explainBy(program: ThreadProgram): void {
    this.explanations.use(program);
  }

  /** @throws ProblemException as `WorkApart.run`. */
  explain<T>(work: (remake: Remake) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.explanations.run(work, signal);
  }

  /** A plan of a replay. */
  async replay(question: RemakeQuestion): Promise<Replanned> {
    const { thread } = this;
    if (!thread) return remade(question);
    try {
      return await this.replays.run(() => thread.ask(question));
    } catch (error) {
      if ((error as { code?: string }).code !== outOfMemory) throw error;
      return { because: `it needs more than ${this.limits.previewMegabytes} MB (CURTAIL_PREVIEW_MEGABYTES)` };
    }
  }
}
