import { Inject, Injectable } from '@nestjs/common';
import type { Plan } from '#contracts';
import { type PlanOrFault, planOf, planOrFault } from '#planning';
import { builtProgram, type CallingClient, JsonText, type ThreadProgram, WorkInThread } from '#platform';
import { REMAKE_LIMITS, type RemakeLimits } from '../replay/remake/remake-in-thread.js';

/** Plans input that clients send, in a thread, for one client at a time, so that the process stays responsive. */
@Injectable()
export class PlanGivenInThread {
  private readonly work: WorkInThread<GivenPlan, PlanOrFault>;

  constructor(@Inject(REMAKE_LIMITS) { previewSeconds, previewMegabytes }: RemakeLimits) {
    this.work = new WorkInThread(
      {
        what: 'preview',
        remedies: {
          tooLong: 'Send a smaller snapshot, or use `curtail plan`, which plans here.',
          tooLarge:
            'Send a smaller snapshot, raise CURTAIL_PREVIEW_MEGABYTES and the memory of the service with it, or use `curtail plan`, which plans here.',
        },
      },
      { seconds: previewSeconds, megabytes: previewMegabytes },
      planGivenOrFault,
      builtProgram('given-plan-thread', import.meta.url),
    );
  }

  /** Runs this program for plans from now on. */
  use(program: ThreadProgram): void {
    this.work.use(program);
  }

  /**
   * @param input as `planGiven` takes it.
   * @throws InputError for input that cannot be planned; ProblemException as `WorkInThread.run`.
   */
  async plan(input: unknown, client?: CallingClient): Promise<Plan> {
    return planOf(
      await this.work.run((ask) => ask(input instanceof JsonText ? { text: input.text } : { input }), client),
    );
  }
}

/** The input of a plan as a client sends it, or its text of JSON where that is long. */
export type GivenPlan = { input: unknown } | { text: string };

export const planGivenOrFault = (given: GivenPlan): PlanOrFault =>
  planOrFault('text' in given ? JSON.parse(given.text) : given.input);
