import { Inject, Injectable } from '@nestjs/common';
import type { MakePlan, PlanQuestion } from '#forecast';
import { decidedPlanOf, type PlanOrFault, planOrFault } from '#planning';
import { builtProgram, type CallingClient, type ThreadProgram, WorkInThread } from '#platform';
import { INGEST_SETTINGS, type IngestSettings } from '../settings/ingest-settings.js';

export type { MakePlan, PlanQuestion };

/** Plans for previews in a thread, for one preview at a time, so that the process stays responsive. */
@Injectable()
export class PlanInThread {
  private readonly work: WorkInThread<PlanQuestion, PlanOrFault>;

  constructor(
    @Inject(INGEST_SETTINGS)
    { previewSeconds, previewMegabytes }: Pick<IngestSettings, 'previewSeconds' | 'previewMegabytes'>,
  ) {
    this.work = new WorkInThread(
      {
        what: 'preview',
        remedies: {
          tooLong: 'Change fewer quotas at once.',
          tooLarge: 'Raise CURTAIL_PREVIEW_MEGABYTES, and the memory of the service with it.',
        },
      },
      { seconds: previewSeconds, megabytes: previewMegabytes },
      planOrFault,
      builtProgram('planning-thread', import.meta.url),
    );
  }

  /** Uses this program for plans from now on. */
  use(program: ThreadProgram): void {
    this.work.use(program);
  }

  /**
   * Makes a preview when its turn has come.
   *
   * @throws ProblemException as `WorkInThread.run`.
   */
  preview<T>(make: (plan: MakePlan) => Promise<T>, client?: CallingClient): Promise<T> {
    return this.work.run((ask) => make(async (question) => decidedPlanOf(await ask(question))), client);
  }
}
