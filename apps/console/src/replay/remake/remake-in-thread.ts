import { Inject, Injectable } from '@nestjs/common';
import {
  type Asking,
  builtProgram,
  type CallingClient,
  outOfMemory,
  ownWork,
  Thread,
  type ThreadProgram,
  Turns,
  WorkInThread,
} from '#platform';
import { type RemakeQuestion, type Replanned, remade } from '#replay';

export type Remake = Asking<RemakeQuestion, Replanned>;

/** Limits of the plans of one explanation, or of one plan of a replay. */
export interface RemakeLimits {
  previewSeconds: number;
  previewMegabytes: number;
}
export const REMAKE_LIMITS = Symbol('RemakeLimits');

/** Digest and shadow replays may run side by side; each requests one plan at a time. */
const mostReplays = 2;

/**
 * Recomputes recorded plans in threads, so that the process stays responsive to a stop: for explanations in turns of the clients, and one
 * thread for replays, for which no client waits.
 */
@Injectable()
export class RemakeInThread {
  private readonly explanations: WorkInThread<RemakeQuestion, Replanned>;
  private readonly replays = new Turns('plans of replays', { all: mostReplays, kept: 0, each: 0 });
  private readonly thread: Thread<RemakeQuestion, Replanned> | undefined;

  constructor(@Inject(REMAKE_LIMITS) private readonly limits: RemakeLimits) {
    const program = builtProgram('remaking-thread', import.meta.url);
    this.thread = program && new Thread(program, { maxOldGenerationSizeMb: limits.previewMegabytes });
    this.explanations = new WorkInThread(
      {
        what: 'explanation',
        remedies: {
          tooLong: 'Set `limit`, which recomputes no large plan.',
          tooLarge:
            'Set `limit`, which recomputes no large plan, or raise CURTAIL_PREVIEW_MEGABYTES, and the memory of the service with it.',
        },
      },
      { seconds: limits.previewSeconds, megabytes: limits.previewMegabytes },
      remade,
      program,
    );
  }

  /** Uses this program for the plans of explanations from now on. */
  explainBy(program: ThreadProgram): void {
    this.explanations.use(program);
  }

  /** @throws ProblemException as `WorkInThread.run`. */
  explain<T>(work: (remake: Remake) => Promise<T>, client?: CallingClient): Promise<T> {
    return this.explanations.run(work, client);
  }

  /** A plan of a replay. */
  async replay(question: RemakeQuestion): Promise<Replanned> {
    const { thread } = this;
    if (!thread) return remade(question);
    try {
      return await this.replays.run(() => thread.ask(question), ownWork);
    } catch (error) {
      if ((error as { code?: string }).code !== outOfMemory) throw error;
      return { because: `it needs more than ${this.limits.previewMegabytes} MB (CURTAIL_PREVIEW_MEGABYTES)` };
    }
  }
}
