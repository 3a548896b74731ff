import { Inject, Injectable } from '@nestjs/common';
import type { KnownEvent } from '#event-store';
import type { OpenRun } from '#runs';
import { PartitionLimitsOfRuns } from './partition-limits.js';
import { type Means, Pass } from './pass.js';
import { RoundSteps } from './rounds/round-steps.js';
import { ReadRunControl } from './run-control.js';
import { RunFacts } from './run-facts.js';
import { LoadRuns } from './runs/load-runs.js';
import { OpenRuns } from './runs/open-runs.js';
import { SendEvictions } from './send-evictions.js';
import { EXECUTOR_SETTINGS, type ExecutorSettings } from './settings/executor-settings.js';
import { TurnsOfRuns } from './turns-of-runs.js';

/**
 * Carries a run out, step by step, until it has to wait or is over. `nextStep` (libs/enforcement) decides the next
 * step; `Pass` performs it: it gathers facts, records events and sends kills, those of a page at the same time. A
 * kill is recorded as ordered before it is sent, and its answer after, so a crash at any point leaves a stream from
 * which the run continues.
 */
@Injectable()
export class CarryOut {
  private readonly means: Means;

  constructor(
    private readonly runs: LoadRuns,
    @Inject(EXECUTOR_SETTINGS) { deadlineSeconds }: ExecutorSettings,
    openRuns: OpenRuns,
    controls: ReadRunControl,
    turns: TurnsOfRuns,
    facts: RunFacts,
    limits: PartitionLimitsOfRuns,
    kills: SendEvictions,
    rounds: RoundSteps,
  ) {
    this.means = { openRuns, controls, turns, facts, limits, kills, rounds, deadlineSeconds };
  }

  /**
   * @param plan the plan of a new run, if it is at hand: the run need not be loaded then.
   * @returns in how many milliseconds to continue, or undefined if this process has nothing left to do.
   */
  async advance(held: OpenRun, isStopping: () => boolean, plan?: KnownEvent): Promise<number | undefined> {
    const run = await this.runs.load(held, plan);
    const untilNextStepMs = await Pass.make(this.means, held, run, isStopping);
    // After a failure the content of the stream is not known, and noted events may not be in it.
    if (untilNextStepMs !== undefined && run.isRecorded) this.runs.remember(held, run);
    return untilNextStepMs;
  }
}
