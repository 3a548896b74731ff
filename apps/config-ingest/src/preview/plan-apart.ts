import { type ClusterSnapshot, InputError, type Plan } from '@curtail/contracts';
import { planInput } from '@curtail/planning';
import { ProblemException } from '@curtail/platform';
import { Inject, Injectable } from '@nestjs/common';
import { OneAtATime } from '../apart/one-at-a-time.js';
import { builtProgram, Thread, type ThreadProgram } from '../apart/thread.js';
import { INGEST_SETTINGS, type IngestSettings } from '../ingest-settings.js';

/** What a plan is made from; a copy of it goes to the thread. */
export interface PlanQuestion {
  snapshot: ClusterSnapshot;
  trigger: { policy: string; queue?: string };
  settings: unknown;
}

export type Planned = { plan: Plan } | { fault: { path: string; message: string } };

/** Makes the plans of one preview. @throws InputError for what cannot be planned. */
export type MakePlan = (question: PlanQuestion) => Promise<Plan>;

/** Each keeps a configuration, and while it is under way a snapshot. */
const mostWaiting = 4;

const program = builtProgram('planning-thread', import.meta.url);

/**
 * Plans for previews without holding up the process, in which a kill switch or a timer may wait for its turn: in a thread, for one
 * preview at a time, within limits of time and memory. It ends when no client waits for the preview any more.
 */
@Injectable()
export class PlanApart {
  private readonly turns = new OneAtATime('previews', mostWaiting);
  private thread: Thread<PlanQuestion, Planned> | undefined;

  constructor(
    @Inject(INGEST_SETTINGS)
    private readonly settings: Pick<IngestSettings, 'previewSeconds' | 'previewMegabytes'>,
  ) {
    if (program) this.use(program);
  }

  /** Plans by this program from now on. */
  use(program: ThreadProgram): void {
    this.thread = new Thread(program, { maxOldGenerationSizeMb: this.settings.previewMegabytes });
  }

  /**
   * Makes a preview when its turn has come.
   *
   * @param signal aborted once the client has left.
   * @throws ProblemException 503 where too many wait, or this one took too long; 422 where it needs too much memory; 499 where the
   *   client has left.
   */
  async preview<T>(make: (plan: MakePlan) => Promise<T>, signal = new AbortController().signal): Promise<T> {
    try {
      return await this.turns.run(() => this.within(make, signal), signal);
    } catch (error) {
      if (signal.aborted) throw clientLeft();
      throw error;
    }
  }

  private async within<T>(make: (plan: MakePlan) => Promise<T>, client: AbortSignal): Promise<T> {
    const { previewSeconds, previewMegabytes } = this.settings;
    const tooLong = AbortSignal.timeout(previewSeconds * 1000);
    const signal = AbortSignal.any([client, tooLong]);
    try {
      return await make((question) => this.plan(question, signal));
    } catch (error) {
      if (tooLong.aborted && !client.aborted) throw tookTooLong(previewSeconds);
      if ((error as { code?: string }).code === outOfMemory) throw tooLarge(previewMegabytes);
      throw error;
    }
  }

  private async plan(question: PlanQuestion, signal: AbortSignal): Promise<Plan> {
    signal.throwIfAborted();
    if (!this.thread) return planInput(question);
    const planned = await this.thread.ask(question, signal);
    if ('fault' in planned) throw new InputError(planned.fault.path, planned.fault.message);
    return planned.plan;
  }
}

const outOfMemory = 'ERR_WORKER_OUT_OF_MEMORY';

function tookTooLong(seconds: number): ProblemException {
  return new ProblemException({
    code: 'preview-too-long',
    title: 'The preview took too long',
    status: 503,
    detail: `The plans were not made within ${seconds} s; nothing was kept.`,
    remedy: 'Change fewer quotas at once, or raise CURTAIL_PREVIEW_SECONDS.',
  });
}

function tooLarge(megabytes: number): ProblemException {
  return new ProblemException({
    code: 'preview-too-large',
    title: 'The preview needs too much memory',
    status: 422,
    detail: `A plan of it needs more than ${megabytes} MB; nothing was kept.`,
    remedy: 'Raise CURTAIL_PREVIEW_MEGABYTES, and the memory of the service with it.',
  });
}

/** No client reads it: it ends the request. */
function clientLeft(): ProblemException {
  return new ProblemException({
    code: 'client-left',
    title: 'The client has left',
    status: 499,
    detail: 'The connection was closed before the preview was made.',
    remedy: 'Ask again, and wait for the answer.',
  });
}
