import type { DomainEvent } from '#contracts';
import {
  type Eviction,
  isOverdue,
  nextStep,
  type PlannedVictim,
  type QueueFacts,
  type RunControl,
  type Step,
  type VictimFacts,
} from '#enforcement';
import { noMoreLeaving } from '#rounds';
import type { OpenRun } from '#runs';
import { openingTerms } from './opening-terms.js';
import { type PartitionLimitsOfRuns, type Permit, withPermit } from './partition-limits.js';
import { recordWhileWaiting } from './record-while-waiting.js';
import type { RoundSteps } from './rounds/round-steps.js';
import { controlOf, type ReadRunControl, type StatusOfControl } from './run-control.js';
import type { RunFacts } from './run-facts.js';
import type { OpenRuns } from './runs/open-runs.js';
import { isRecordedBeforeEnd } from './runs/record-together.js';
import type { RunLog } from './runs/run-log.js';
import { afterKills, type SendEvictions } from './send-evictions.js';
import type { Turn } from './turns.js';
import { statusOfRun, type TurnsOfRuns } from './turns-of-runs.js';

const untilTouchedMs = 3_600_000;
const afterLostAnswerMs = 1000;

/** What carries out the steps of runs. */
export interface Means {
  openRuns: OpenRuns;
  controls: ReadRunControl;
  turns: TurnsOfRuns;
  facts: RunFacts;
  limits: PartitionLimitsOfRuns;
  kills: SendEvictions;
  rounds: RoundSteps;
  deadlineSeconds: number;
}

/** Undefined: this process has nothing left to do. */
interface EndOfPass {
  untilNextStepMs: number | undefined;
}

const nothingLeft: EndOfPass = { untilNextStepMs: undefined };
const continueIn = (ms: number): EndOfPass => ({ untilNextStepMs: ms });

type Facts = VictimFacts[] | QueueFacts | undefined;

/** One process at work on a run, until the run has to wait or is over. */
export class Pass {
  /** For the next step. */
  private facts: Facts;
  /** What the limits of the partition said about the last page, for the next step. */
  private permit: Permit | undefined;
  /** From the check of victims until the answers to their kills. */
  private turn: Turn | undefined;
  /** A kill may have been sent. */
  private hasBegun = false;
  /** By eviction id: kills that the gate withheld. */
  private readonly withheldBefore = new Set<string>();

  private constructor(
    private readonly means: Means,
    private readonly held: OpenRun,
    private readonly run: RunLog,
    private status: StatusOfControl,
  ) {}

  /** @returns in how many milliseconds to continue, or undefined if this process has nothing left to do. */
  static async make(
    means: Means,
    held: OpenRun,
    run: RunLog,
    isStopping: () => boolean,
  ): Promise<number | undefined> {
    const pass = new Pass(means, held, run, await statusOfRun(means.controls, held, run));
    try {
      while (!isStopping()) {
        const end = await pass.step();
        if (end) return end.untilNextStepMs;
      }
      await run.record();
      return 0;
    } finally {
      pass.turn?.end();
    }
  }

  /** @returns the end of the pass; undefined: the next step follows. */
  private async step(): Promise<EndOfPass | undefined> {
    const { run, facts, status } = this;
    const now = status.now().toISOString();
    const control = {
      ...withPermit(controlOf(status, run.state.opened?.openedAt), this.permit),
      // A run that the silence of its cluster has kept from its victims says so.
      ...(isOverdue(run.state, now) && {
        unknownCluster: await this.means.facts.whyUnknown(this.held.partition),
      }),
    };
    const step = nextStep(run.state, now, control, facts);
    this.permit = undefined;
    this.facts = undefined;
    if (step.kind !== 'order' && step.kind !== 'send') this.turn?.end();
    return this.perform(step, control, facts);
  }

  /** @param facts those that the step was decided by. */
  private async perform(step: Step, { stops }: RunControl, facts: Facts): Promise<EndOfPass | undefined> {
    const { run, held, means } = this;
    switch (step.kind) {
      case 'open':
        return this.open(stops);
      case 'notify':
        return this.notify(step.victims);
      case 'wait':
        await run.record();
        return continueIn(step.until ? Date.parse(step.until) - this.status.now().getTime() : untilTouchedMs);
      case 'check':
        return this.check(step);
      case 'check-queue':
        await run.record();
        this.facts = await means.facts.ofQueue(held, step.max);
        return undefined;
      case 'order':
        return this.order(step, facts);
      case 'send':
        return this.send([step.kill]);
      case 'append':
        return this.append(step.events);
      case 'done':
        await means.openRuns.removeEnded(held.enforcement);
        return nothingLeft;
    }
  }

  private async open(stops: RunControl['stops']): Promise<undefined> {
    const { means, held, run, status } = this;
    const { deadlineSeconds } = means;
    const ceilings = await means.limits.atOpening(held, run.state, status);
    await means.rounds.open(run, openingTerms(held, run.state, status, { deadlineSeconds, ceilings }), stops);
  }

  private async notify(victims: readonly PlannedVictim[]): Promise<EndOfPass | undefined> {
    const { means, held, run } = this;
    if (!(await means.openRuns.keepHold(held.enforcement))) return nothingLeft;
    await means.rounds.notify(run, victims, this.status.now());
    this.status = await statusOfRun(means.controls, held, run);
    return undefined;
  }

  private async check(step: Extract<Step, { kind: 'check' }>): Promise<EndOfPass | undefined> {
    const { means, held, run } = this;
    // If the hold was lost, another process carries the run out: this one must not send another kill.
    if (!(await means.openRuns.keepHold(held.enforcement))) return nothingLeft;
    if (!this.hasBegun) {
      await means.rounds.beforeKills(run);
      this.hasBegun = true;
    }
    const { turn, status } = await recordWhileWaiting(run, () =>
      means.turns.take(held, run, step.queues, this.status),
    );
    this.turn = turn;
    this.status = status;
    // The wait for the turn may have been longer than a hold.
    if (!(await means.openRuns.keepHold(held.enforcement))) return nothingLeft;
    this.facts = await means.facts.ofVictims(held, run, step, status);
    return undefined;
  }

  /** Records the orders of a page and sends its kills, unless a limit of the partition forbids it. */
  private async order(
    { events, kills, isUnit }: Extract<Step, { kind: 'order' }>,
    facts: Facts,
  ): Promise<EndOfPass | undefined> {
    const { means, held, run } = this;
    const permit = await means.limits.order(held, run.state, this.status, {
      victims: kills.length,
      isUnit: isUnit === true,
      tx: this.turn?.tx,
      record: async (tx) => {
        run.note(events);
        await run.record({ tx });
      },
    });
    if (permit.kind === 'granted') return this.send(kills);
    if (permit.kind === 'fewer' && permit.victims === 0) {
      await run.record();
      return continueIn(permit.waitMs);
    }
    // The same facts decide the step again, within what is permitted.
    this.facts = facts;
    this.permit = permit;
    return undefined;
  }

  /** Sends kills whose orders are on record, those of a page at the same time. */
  private async send(kills: readonly Eviction[]): Promise<EndOfPass | undefined> {
    const { means, held, run, status } = this;
    const sent = await Promise.all(kills.map((kill) => means.kills.send(run, held, kill, status)));
    const next = afterKills(kills, sent, this.withheldBefore);
    if (next === 'go-on') return undefined;
    // The answers of the others are recorded before the run is released.
    await run.record();
    if (next === 'hold-lost') return nothingLeft;
    if (next === 'ask-later') return continueIn(afterLostAnswerMs);
    // An order is open, and nothing was requested. The new status decides about it; if the run sees no change,
    // it asks the cluster again, but not at once.
    this.turn?.end();
    this.status = await statusOfRun(means.controls, held, run);
    return undefined;
  }

  private async append(events: DomainEvent[]): Promise<EndOfPass | undefined> {
    const { means, run } = this;
    const over = events.some((event) => event.name === 'EnforcementEnded');
    if (over && isRecordedBeforeEnd(run.state)) await run.record();
    run.note(events);
    const effect = over
      ? await means.rounds.effectOfEnd(run, this.status.now())
      : noMoreLeaving(run.state, events);
    await run.record({ over, effect });
    return over ? nothingLeft : undefined;
  }
}
