import { CLUSTER_DRIVER, type ClusterDriver } from '@curtail/clusters';
import {
  type Kill,
  nextStep,
  openRun,
  type RunControl,
  recordAnswer,
  type VictimFacts,
} from '@curtail/enforcement';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EXECUTOR_SETTINGS, type ExecutorSettings } from './executor-settings.js';
import { type OpenExecution, OpenExecutions } from './open-executions.js';
import { ReadRunControl } from './run-control.js';
import { RunLog } from './run-log.js';
import { Turns } from './turns.js';
import { FindVictimFacts } from './victim-facts.js';

const untilTouchedMs = 3_600_000;
const afterLostAnswerMs = 1000;

/**
 * Carries a run on, step by step, until it has to wait or is over. What the next step is, is decided by `nextStep`
 * (libs/enforcement); here it is done: facts are gathered, events recorded, kills sent. A kill is recorded as ordered
 * before it is sent, and its answer after, so a crash at any point leaves a stream from which the run goes on.
 */
@Injectable()
export class CarryOut {
  private readonly log = new Logger('Executor');
  private readonly turns = new Turns();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterDriver,
    @Inject(EXECUTOR_SETTINGS) private readonly settings: ExecutorSettings,
    @Inject(OpenExecutions) private readonly executions: OpenExecutions,
    @Inject(ReadRunControl) private readonly controls: ReadRunControl,
    @Inject(FindVictimFacts) private readonly facts: FindVictimFacts,
  ) {}

  /** @returns in how many milliseconds to go on, or undefined if there is nothing left for this process to do. */
  async advance(execution: OpenExecution, isStopping: () => boolean): Promise<number | undefined> {
    const { enforcement } = execution;
    const run = await RunLog.load(this.db, execution);
    let facts: VictimFacts | undefined;
    // From the look at a victim to the answer to its kill, no other run of the partition kills.
    let endTurn = () => {};
    try {
      while (!isStopping()) {
        // A hold that was lost means that another process goes on with the run: this one must not send another kill.
        if (!(await this.executions.keepHold(enforcement))) return undefined;
        const { control, said } = await this.controls.of(execution);
        await run.hear(said);
        const step = nextStep(run.state, new Date().toISOString(), control, facts);
        facts = undefined;
        if (step.kind !== 'order' && step.kind !== 'send') endTurn();
        switch (step.kind) {
          case 'open':
            await run.record([this.open(run, control)]);
            break;
          case 'wait':
            return step.until ? Date.parse(step.until) - Date.now() : untilTouchedMs;
          case 'check':
            endTurn = await this.turns.take(execution.partition);
            facts = await this.facts.of(execution, step);
            break;
          case 'order':
            await run.record([step.event]);
            if (!(await this.kill(run, step.kill, control))) return afterLostAnswerMs;
            break;
          case 'send':
            if (!(await this.kill(run, step.kill, control))) return afterLostAnswerMs;
            break;
          case 'append': {
            const last = step.events.some((event) => event.name === 'EnforcementEnded');
            await run.record(step.events, last ? (tx) => this.executions.remove(tx, enforcement) : undefined);
            if (last) return undefined;
            break;
          }
          case 'done':
            await this.db.transaction((tx) => this.executions.remove(tx, enforcement));
            return undefined;
        }
      }
      return 0;
    } finally {
      endTurn();
    }
  }

  private open(run: RunLog, control: RunControl) {
    const planned = run.state.planned;
    return openRun(run.state, {
      openedAt: new Date().toISOString(),
      // What was planned while the partition was observed is not carried out; the next run is.
      mode: planned?.mode === 'observe' ? 'observe' : control.mode,
      max: planned?.max ?? null,
      deadlineSeconds: this.settings.deadlineSeconds,
      approveAboveVictims: this.settings.approveAboveVictims,
      approveAbovePercent: this.settings.approveAbovePercent,
      allocations: planned?.queueAllocations ?? 0,
      usage: planned?.queueUsage ?? {},
    });
  }

  /** @returns false if the answer was lost: the order stays open, and the cluster is asked before anything else is done. */
  private async kill(run: RunLog, kill: Kill, control: RunControl): Promise<boolean> {
    const { partition, allocation, uid, evictionId, reason } = kill;
    try {
      const answer = await this.cluster.evict({
        partition,
        allocation,
        ...(uid === undefined ? {} : { uid }),
        graceSeconds: this.settings.graceSeconds,
        evictionId,
        reason,
      });
      await run.record(recordAnswer(run.state, new Date().toISOString(), kill, answer, control));
      return true;
    } catch (error) {
      this.log.warn(
        `what became of the eviction of ${allocation} is not known yet: ${(error as Error).message}`,
      );
      return false;
    }
  }
}
