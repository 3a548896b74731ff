import { Injectable } from '@nestjs/common';
import type { Resources } from '#contracts';
import { isRound, type QueueFacts, type Step, type VictimFacts } from '#enforcement';
import type { OpenRun } from '#runs';
import { type CareReads, FindCareFacts } from './care-facts.js';
import { FindQueueFacts } from './queue-facts.js';
import { RoundSteps } from './rounds/round-steps.js';
import type { StatusOfControl } from './run-control.js';
import type { RunLog } from './runs/run-log.js';
import { FindVictimFacts } from './victim-facts.js';

/** Gathers the facts that decide the steps of a run: about victims right before they are killed, and about its queue at its end. */
@Injectable()
export class RunFacts {
  constructor(
    private readonly victims: FindVictimFacts,
    private readonly care: FindCareFacts,
    private readonly queue: FindQueueFacts,
    private readonly rounds: RoundSteps,
  ) {}

  async ofVictims(
    held: OpenRun,
    run: RunLog,
    step: Extract<Step, { kind: 'check' }>,
    status: StatusOfControl,
  ): Promise<VictimFacts[]> {
    const { state } = run;
    let care: CareReads;
    // In one write with the reads of the cluster, and after the reports that those wait for.
    const found = await this.victims.of(held, step, status, isRound(state), async () => {
      care = await this.care.read(state, step.victims);
    });
    const withOwn = await this.rounds.withOwnFacts(run, step.victims, found);
    return this.care.with(state, step, withOwn, care);
  }

  /** @param max the limit that the run is judged by. */
  ofQueue(held: OpenRun, max: Resources): Promise<QueueFacts> {
    return this.queue.of(held, max);
  }

  /** Why the cluster is unknown, a clause without a full stop; undefined: it is known. */
  whyUnknown(partition: string): Promise<string | undefined> {
    return this.victims.whyUnknown(partition);
  }
}
