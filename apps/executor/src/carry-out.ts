import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_DRIVER, type ClusterDriver } from '#clusters';
import { chainFromRoot, type DomainEvent } from '#contracts';
import {
  followsCluster,
  isOverdue,
  isRound,
  type Kill,
  nextStep,
  type OpeningTerms,
  type PlannedVictim,
  type QueueFacts,
  type RunControl,
  type RunState,
  type Step,
  type VictimFacts,
} from '#enforcement';
import { Batcher, type KnownEvent, type RestOfStream, readStreams, type Tx } from '#event-store';
import { noMoreLeaving } from '#rounds';
import type { OpenRun } from '#runs';
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

/**
 * The last outcomes of a run with more victims are not recorded in the transaction that ends it: that takes long, since it keeps each
 * evicted victim, and no reader of the log sees its events before it commits.
 */
export const manyVictims = 2000;
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
  /** The turn was taken with the status, and nothing has been checked under it yet. */
  isTurnFresh: boolean;
  /** A kill may have been sent. */
  hasBegun: boolean;
  /** By eviction id: kills that the gate withheld. */
  readonly withheldBefore: Set<string>;
}

/** A run that this process takes up. With a turn, the status was read under it. */
interface Begun {
  run: RunLog;
  status: RunStatus;
  turn?: Turn | undefined;
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
  private readonly streams = new Batcher((wanted: RestOfStream[][]) => this.readAll(wanted));
  private readonly remembered = new RememberedRuns();
  private readonly kills: SendKills;
  /** By partition and path: the queues in which the last turn found a guaranteed amount. */
  private readonly floors = new Set<string>();

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

  /**
   * @param plan the plan of a new run, if it is at hand: the run need not be loaded then.
   * @returns in how many milliseconds to continue, or undefined if this process has nothing left to do.
   */
  async advance(held: OpenRun, isStopping: () => boolean, plan?: KnownEvent): Promise<number | undefined> {
    const { run, ...begun } = plan ? await this.begin(held, plan) : await this.resume(held);
    const untilNextStepMs = await this.carryOn(run, held, begun, isStopping);
    // After a failure the content of the stream is not known, and noted events may not be in it.
    if (untilNextStepMs !== undefined && run.isRecorded) this.remembered.keep(held.enforcement, run);
    return untilNextStepMs;
  }

  private async resume(held: OpenRun): Promise<Begun> {
    const [run, status] = await Promise.all([
      this.runOf(held),
      this.controls.of(held, chainFromRoot(held.queue)),
    ]);
    return { run, status };
  }

  /** A new run whose first victims are checked at once reads its status under the turn for that: otherwise it would read it twice. */
  private async begin(held: OpenRun, plan: KnownEvent): Promise<Begun> {
    const { db, streams, records, floors } = this;
    const run = RunLog.begin({ db, streams, records }, held, plan);
    const queues = chainFromRoot(held.queue);
    const options = { followsCluster: followsCluster(run.state) };
    if (!isForKilling(run.state)) return { run, status: await this.controls.of(held, queues, options) };
    const likely = queues.filter((queue) => queue === held.queue || floors.has(`${held.partition}/${queue}`));
    const { turn, seen } = await this.turns.take(held.partition, likely, (tx) =>
      this.controls.of(held, queues, { ...options, ...(tx && { tx }) }),
    );
    this.noteFloors(held.partition, queues, seen);
    return { run, status: seen, turn };
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
    { status, turn }: Omit<Begun, 'run'>,
    isStopping: () => boolean,
  ): Promise<number | undefined> {
    const pass: Pass = {
      ...{ run, held, status, turn },
      isTurnFresh: turn !== undefined,
      hasBegun: false,
      withheldBefore: new Set(),
    };
    try {
      // The status of a run that was loaded beside it does not know that it follows the cluster.
      if (!turn && followsCluster(run.state)) pass.status = await this.readStatus(run, held);
      else await upToDate(run, status);
      while (!isStopping()) {
        const now = pass.status.now().toISOString();
        const control = {
          ...permitted(controlOf(pass.status, run.state.opened?.openedAt), pass.permit),
          // A run that the silence of its cluster has kept from its victims says so.
          ...(isOverdue(run.state, now) && { unknownCluster: await this.facts.whyUnknown(held.partition) }),
        };
        const { facts } = pass;
        const step = nextStep(run.state, now, control, facts);
        pass.permit = undefined;
        pass.facts = undefined;
        if (!keepsTurn(step, pass)) {
          pass.turn?.end();
          pass.isTurnFresh = false;
        }
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
    const isTaken = pass.isTurnFresh && suffices(pass, step);
    pass.isTurnFresh = false;
    if (!isTaken) {
      pass.turn?.end();
      Object.assign(pass, await this.recordAndTakeTurn(run, held, step, pass.status));
    }
    // The wait for the turn may have been longer than a hold.
    if (!(await this.openRuns.keepHold(held.enforcement))) return nothingLeft;
    const { victims } = step;
    let care: ReturnType<FindCareFacts['read']> | undefined;
    const found = await this.facts.of(held, step, pass.status, isRound(run.state), () => {
      care = this.careFacts.read(run.state, victims);
      return care;
    });
    const withOwn = await this.rounds.withOwnFacts(run, victims, found);
    // If it failed, the facts state that already.
    pass.facts = await this.careFacts.with(run.state, step, withOwn, await care?.catch(() => undefined));
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
    const over = events.some((event) => event.name === 'EnforcementEnded');
    if (over && isLarge(run.state)) await run.record();
    run.note(events);
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
        this.noteFloors(held.partition, queues, status);
        wanted = concerned(held, queues, status);
        if (wanted.every((queue) => turn.queues.includes(queue))) return { turn, status };
      } catch (error) {
        turn.end();
        throw error;
      }
      turn.end();
    }
  }

  /** Remembers them, so that the next new run takes its turn in the right queues. */
  private noteFloors(partition: string, queues: readonly string[], { guaranteed }: RunStatus): void {
    for (const queue of queues) {
      if (guaranteed.has(queue)) this.floors.add(`${partition}/${queue}`);
      else this.floors.delete(`${partition}/${queue}`);
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

/** Whether a new run most likely checks its first victims at once. */
function isForKilling(state: RunState): boolean {
  const { planned } = state;
  if (planned === undefined || isRound(state)) return false;
  return planned.mode !== 'observe' && !planned.plan.observeOnly && planned.plan.victims.length > 0;
}

const isLarge = ({ planned }: RunState) => planned !== undefined && planned.plan.victims.length > manyVictims;

/** Whether the turn stays for this step: between the check of victims and their kills, and a fresh one also until the check. */
function keepsTurn({ kind }: Step, { isTurnFresh }: Pass): boolean {
  return kind === 'order' || kind === 'send' || (isTurnFresh && (kind === 'open' || kind === 'check'));
}

/** Whether the turn and the status of a pass cover the queues of a check. */
function suffices({ held, status, turn }: Pass, { queues }: Check): boolean {
  const known = chainFromRoot(held.queue);
  const wanted = concerned(held, queues, status);
  return (
    queues.every((queue) => known.includes(queue)) && wanted.every((queue) => turn?.queues.includes(queue))
  );
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
