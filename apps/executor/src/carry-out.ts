import { CLUSTER_DRIVER, type ClusterDriver } from '@curtail/clusters';
import { chainFromRoot, type DomainEvent } from '@curtail/contracts';
import {
  followsCluster,
  isRound,
  type Kill,
  nextStep,
  type OpeningTerms,
  type PlannedVictim,
  type QueueFacts,
  type RunControl,
  type Step,
  type VictimFacts,
} from '@curtail/enforcement';
import { type RestOfStream, readStreams, Together, type Tx } from '@curtail/event-store';
import { noMoreLeaving } from '@curtail/rounds';
import type { OpenRun } from '@curtail/runs';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FindCareFacts } from './care-facts.js';
import { EvictionGates } from './eviction-gate.js';
import { PartitionLimitsOfRuns, type Permit } from './partition-limits.js';
import { FindQueueFacts } from './queue-facts.js';
import { RoundSteps } from './rounds/round-steps.js';
import { controlOf, ReadRunControl, type RunStatus } from './run-control.js';
import { OpenRuns } from './runs/open-runs.js';
import { RecordTogether } from './runs/record-together.js';
import { RememberedRuns } from './runs/remembered-runs.js';
import { RunLog } from './runs/run-log.js';
import { afterKills, SendKills } from './send-kills.js';
import { EXECUTOR_SETTINGS, type ExecutorSettings } from './settings/executor-settings.js';
import { type Turn, Turns } from './turns.js';
import { FindVictimFacts } from './victim-facts.js';

const untilTouchedMs = 3_600_000;
const afterLostAnswerMs = 1000;

/** One process at work on a run, until the run has to wait or is over. */
interface Pass {
  readonly run: RunLog;
  readonly held: OpenRun;
  status: RunStatus;
  /** For the next step. */
  facts?: VictimFacts[] | QueueFacts | undefined;
  /** What the limits of the partition said about the last page, for the next step. */
  permit?: Permit | undefined;
  turn?: Turn | undefined;
  /** A kill may have been sent. */
  hasBegun: boolean;
  /** By eviction id: kills that the gate withheld. */
  readonly withheldBefore: Set<string>;
}

/** Undefined: this process has nothing left to do. */
interface EndOfPass {
  untilNextStepMs: number | undefined;
}

const nothingLeft: EndOfPass = { untilNextStepMs: undefined };
const continueIn = (ms: number): EndOfPass => ({ untilNextStepMs: ms });

type Check = Extract<Step, { kind: 'check' }>;
type Order = Extract<Step, { kind: 'order' }>;

/**
 * Carries a run out, step by step, until it has to wait or is over. `nextStep` (libs/enforcement) decides the next
 * step; this class performs it: it gathers facts, records events and sends kills, those of a page at the same time. A
 * kill is recorded as ordered before it is sent, and its answer after, so a crash at any point leaves a stream from
 * which the run continues.
 */
@Injectable()
export class CarryOut {
  private readonly turns: Turns;
  private readonly streams = new Together((wanted: RestOfStream[][]) => this.readAll(wanted));
  private readonly remembered = new RememberedRuns();
  private readonly kills: SendKills;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_DRIVER) cluster: ClusterDriver,
    @Inject(EXECUTOR_SETTINGS) private readonly settings: ExecutorSettings,
    @Inject(OpenRuns) private readonly openRuns: OpenRuns,
    @Inject(ReadRunControl) private readonly controls: ReadRunControl,
    @Inject(FindVictimFacts) private readonly facts: FindVictimFacts,
    @Inject(FindCareFacts) private readonly careFacts: FindCareFacts,
    @Inject(FindQueueFacts) private readonly queueFacts: FindQueueFacts,
    @Inject(RecordTogether) private readonly records: RecordTogether,
    @Inject(RoundSteps) private readonly rounds: RoundSteps,
    @Inject(EvictionGates) gates: EvictionGates,
    @Inject(PartitionLimitsOfRuns) private readonly limits: PartitionLimitsOfRuns,
  ) {
    this.turns = new Turns(settings.alone ? undefined : db);
    this.kills = new SendKills(cluster, gates, openRuns);
  }

  /** @returns in how many milliseconds to continue, or undefined if this process has nothing left to do. */
  async advance(held: OpenRun, isStopping: () => boolean): Promise<number | undefined> {
    const [run, status] = await Promise.all([
      this.runOf(held),
      this.controls.of(held, chainFromRoot(held.queue)),
    ]);
    const untilNextStepMs = await this.carryOn(run, held, status, isStopping);
    // After a failure the content of the stream is not known, and noted events may not be in it.
    if (untilNextStepMs !== undefined && run.isRecorded) this.remembered.keep(held.enforcement, run);
    return untilNextStepMs;
  }

  private async runOf(held: OpenRun): Promise<RunLog> {
    const { db, streams, records } = this;
    const known = this.remembered.take(held.enforcement);
    if (!known) return RunLog.load({ db, streams, records }, held);
    await known.catchUp();
    return known;
  }

  private async carryOn(
    run: RunLog,
    held: OpenRun,
    first: RunStatus,
    isStopping: () => boolean,
  ): Promise<number | undefined> {
    const status = followsCluster(run.state) ? await this.readStatus(run, held) : await upToDate(run, first);
    const pass: Pass = { run, held, status, hasBegun: false, withheldBefore: new Set() };
    try {
      while (!isStopping()) {
        const control = permitted(controlOf(pass.status, run.state.opened?.openedAt), pass.permit);
        const { facts } = pass;
        const step = nextStep(run.state, pass.status.now().toISOString(), control, facts);
        pass.permit = undefined;
        pass.facts = undefined;
        if (step.kind !== 'order' && step.kind !== 'send') pass.turn?.end();
        const end = await this.perform(step, pass, { control, facts });
        if (end) return end.untilNextStepMs;
      }
      await run.record();
      return 0;
    } finally {
      pass.turn?.end();
    }
  }

  /**
   * @param by what the step was decided by.
   * @returns the end of the pass; undefined: the next step follows.
   */
  private async perform(
    step: Step,
    pass: Pass,
    by: Pick<Pass, 'facts'> & { control: RunControl },
  ): Promise<EndOfPass | undefined> {
    const { run, held } = pass;
    switch (step.kind) {
      case 'open':
        await this.rounds.open(run, await this.terms(run, held, pass.status), by.control.stops);
        return undefined;
      case 'notify':
        return this.notify(pass, step.victims);
      case 'wait':
        await run.record();
        return continueIn(step.until ? Date.parse(step.until) - pass.status.now().getTime() : untilTouchedMs);
      case 'check':
        return this.check(pass, step);
      case 'check-queue':
        await run.record();
        pass.facts = await this.queueFacts.of(held, step.max);
        return undefined;
      case 'order':
        return this.orderKills(pass, step, by.facts);
      case 'send':
        return this.sendKills(pass, [step.kill]);
      case 'append':
        return this.append(pass, step.events);
      case 'done':
        await this.db.transaction((tx) => this.openRuns.remove(tx, [held.enforcement]));
        return nothingLeft;
    }
  }

  private async notify(pass: Pass, victims: readonly PlannedVictim[]): Promise<EndOfPass | undefined> {
    const { run, held } = pass;
    if (!(await this.openRuns.keepHold(held.enforcement))) return nothingLeft;
    await this.rounds.notify(run, victims, pass.status.now());
    pass.status = await this.readStatus(run, held);
    return undefined;
  }

  private async check(pass: Pass, step: Check): Promise<EndOfPass | undefined> {
    const { run, held } = pass;
    // If the hold was lost, another process carries the run out: this one must not send another kill.
    if (!(await this.openRuns.keepHold(held.enforcement))) return nothingLeft;
    if (!pass.hasBegun) {
      await this.rounds.beforeKills(run);
      pass.hasBegun = true;
    }
    Object.assign(pass, await this.recordAndTakeTurn(run, held, step, pass.status));
    // The wait for the turn may have been longer than a hold.
    if (!(await this.openRuns.keepHold(held.enforcement))) return nothingLeft;
    const { victims } = step;
    const found = await this.facts.of(held, step, pass.status, isRound(run.state));
    const withOwn = await this.rounds.withOwnFacts(run, victims, found);
    pass.facts = await this.careFacts.with(run.state, step, withOwn);
    return undefined;
  }

  private async orderKills(pass: Pass, step: Order, facts: Pass['facts']): Promise<EndOfPass | undefined> {
    const { run, held, status, turn } = pass;
    const permit = await this.order(run, held, step, status, turn);
    if (permit.kind === 'granted') return this.sendKills(pass, step.kills);
    if (permit.kind === 'fewer' && permit.victims === 0) {
      await run.record();
      return continueIn(permit.waitMs);
    }
    // The same facts decide the step again, within what is permitted.
    pass.facts = facts;
    pass.permit = permit;
    return undefined;
  }

  /** Records the orders of a page, unless a limit of the partition forbids them. */
  private async order(
    run: RunLog,
    held: OpenRun,
    { events, kills, isUnit }: Order,
    status: RunStatus,
    turn: Turn | undefined,
  ): Promise<Permit> {
    const { state } = run;
    const record = async (tx: Tx | undefined) => {
      run.note(events);
      await run.record({ tx });
    };
    if (this.limits.applyTo(status))
      return this.limits.order(held, state, status, {
        victims: kills.length,
        isUnit: isUnit === true,
        tx: turn?.tx,
        record,
      });
    await record(turn?.tx);
    return { kind: 'granted' };
  }

  /** Sends kills whose orders are on record, those of a page at the same time. */
  private async sendKills(pass: Pass, kills: readonly Kill[]): Promise<EndOfPass | undefined> {
    const { run, held, status, withheldBefore } = pass;
    const sent = await Promise.all(kills.map((kill) => this.kills.send(run, held, kill, status)));
    const next = afterKills(kills, sent, withheldBefore);
    if (next === 'go-on') return undefined;
    // The answers of the others are recorded before the run is released.
    await run.record();
    if (next === 'hold-lost') return nothingLeft;
    if (next === 'ask-later') return continueIn(afterLostAnswerMs);
    // An order is open, and nothing was requested. The new status decides about it; if the run sees no change,
    // it asks the cluster again, but not at once.
    pass.turn?.end();
    pass.status = await this.readStatus(run, held);
    return undefined;
  }

  private async append({ run, status }: Pass, events: DomainEvent[]): Promise<EndOfPass | undefined> {
    run.note(events);
    const over = events.some((event) => event.name === 'EnforcementEnded');
    const effect = over ? await this.rounds.effectOfEnd(run, status.now()) : noMoreLeaving(run.state, events);
    await run.record({ over, effect });
    return over ? nothingLeft : undefined;
  }

  /** Records the outcome of the last victim while it waits for the turn for the next one: they are independent. */
  private async recordAndTakeTurn(
    run: RunLog,
    held: OpenRun,
    step: Check,
    before: RunStatus,
  ): Promise<{ turn: Turn; status: RunStatus }> {
    const recording = run.hasNews ? run.record() : undefined;
    const [recorded, taken] = await Promise.allSettled([recording, this.takeTurn(run, held, step, before)]);
    if (taken.status === 'rejected') throw taken.reason;
    if (recorded.status === 'fulfilled') return taken.value;
    taken.value.turn.end();
    throw recorded.reason;
  }

  /**
   * Waits for the turn to check a victim and to kill it, until the answer to the kill: in the queues of its chain whose
   * guaranteed amount it may break, and in those that a run brings down, whose need for victims it may end. These
   * queues are certain only once it has the turn, so they are read again then.
   */
  private async takeTurn(
    run: RunLog,
    held: OpenRun,
    { queues }: Check,
    before: RunStatus,
  ): Promise<{ turn: Turn; status: RunStatus }> {
    let wanted = concerned(held, queues, before);
    for (;;) {
      const { turn, seen } = await this.turns.take(held.partition, wanted, (tx) =>
        this.controls.of(held, queues, { tx, followsCluster: followsCluster(run.state) }),
      );
      try {
        const status = await upToDate(run, seen);
        wanted = concerned(held, queues, status);
        if (wanted.every((queue) => turn.queues.includes(queue))) return { turn, status };
      } catch (error) {
        turn.end();
        throw error;
      }
      turn.end();
    }
  }

  private async readStatus(run: RunLog, held: OpenRun): Promise<RunStatus> {
    const options = { followsCluster: followsCluster(run.state) };
    return upToDate(run, await this.controls.of(held, chainFromRoot(held.queue), options));
  }

  private async readAll(wanted: RestOfStream[][]) {
    const events = await readStreams(this.db, wanted.flat());
    return wanted.map((streams) => events.splice(0, streams.length));
  }

  private async terms(run: RunLog, held: OpenRun, status: RunStatus): Promise<OpeningTerms> {
    const { now, control, settingsOf } = status;
    const planned = run.state.planned;
    const { approveAboveVictims, approveAbovePercent } = settingsOf(held.queue);
    return {
      openedAt: now().toISOString(),
      // A plan made while the partition was observed is not carried out; the next run is.
      mode: planned?.mode === 'observe' || planned?.plan.observeOnly ? 'observe' : control.mode,
      max: planned?.max ?? null,
      maxShare: planned?.maxShare,
      deadlineSeconds: this.settings.deadlineSeconds,
      approveAboveVictims,
      approveAbovePercent,
      isApproved: control.change?.approved === true,
      ceilings: await this.limits.atOpening(held, run.state, status),
      allocations: planned?.queueAllocations ?? 0,
      usage: planned?.queueUsage ?? {},
    };
  }
}

/** The control, with what the limits of the partition permit now. */
function permitted(control: RunControl, permit: Permit | undefined): RunControl {
  if (permit?.kind === 'ceiling') return { ...control, ceiling: permit.ceiling };
  if (permit?.kind !== 'fewer') return control;
  return { ...control, limits: { ...control.limits, victimsAtOnce: permit.victims } };
}

/** The status of a run, once the run has taken in the commands of operators and the answers of owners up to it. */
async function upToDate(run: RunLog, status: RunStatus): Promise<RunStatus> {
  await run.takeCommands(status.commands);
  return status;
}

function concerned(held: OpenRun, queues: string[], { guaranteed, running }: RunStatus): string[] {
  return [held.queue, ...queues.filter((queue) => guaranteed.has(queue) || running.includes(queue))];
}
