import { topics } from '@curtail/contracts';
import type { KnownEvent } from '@curtail/event-store';
import type { Consumer, Effects } from '@curtail/messaging';
import { Inject, Injectable } from '@nestjs/common';
import { ExecutorService } from './executor.service.js';
import { OpenExecutions } from './open-executions.js';

/** Takes plans over as runs to be carried out, and lets runs look again when an operator has said something. */
@Injectable()
export class CarryOutPlans implements Consumer {
  readonly name = 'executor';
  readonly topics = [topics.plans, topics.enforcement, topics.control];

  constructor(
    @Inject(OpenExecutions) private readonly executions: OpenExecutions,
    @Inject(ExecutorService) private readonly executor: ExecutorService,
  ) {}

  async handle(events: KnownEvent[]): Promise<Effects> {
    return async (tx) => {
      for (const event of events) {
        switch (event.name) {
          case 'PlanComputed':
          case 'PlanFailed':
            await this.executions.add(tx, event.data);
            break;
          case 'PlanApproved':
          case 'PlanRejected':
          case 'CancelRequested':
          // With the lock lost, a run that waits for somebody ends now, not at its deadline.
          case 'EnforcementReleased':
            await this.executions.touch(tx, { enforcement: event.data.enforcement });
            break;
          case 'KillSwitchSet':
          case 'KillSwitchCleared':
          case 'ModeChanged':
            await this.executions.touch(tx, { partition: event.data.partition });
        }
      }
      return () => this.executor.wake();
    };
  }
}
