import { CLUSTER_DRIVER, type ClusterDriver, type EvictionBasis, type Withheld } from '@curtail/clusters';
import { chainFromRoot, type Limit } from '@curtail/contracts';
import {
  followsCluster,
  isRound,
  type Kill,
  killsWithGrace,
  nextStep,
  type OpeningTerms,
  openRun,
  type PlannedRun,
  type QueueFacts,
  recordAnswer,
  type Step,
  type VictimFacts,
} from '@curtail/enforcement';
import { type RestOfStream, readStreams, Together } from '@curtail/event-store';
import { noMoreLeaving } from '@curtail/rounds';
import type { OpenRun } from '@curtail/runs';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EvictionGates, holdLost } from './eviction-gate.js';
import { FindOwnerFacts } from './owner-facts.js';
import { FindQueueFacts } from './queue-facts.js';
import { RoundSteps } from './rounds/round-steps.js';
import { controlOf, ReadRunControl, type RunStatus } from './run-control.js';
import { OpenRuns } from './runs/open-runs.js';
import { RecordTogether } from './runs/record-together.js';
import { RememberedRuns } from './runs/remembered-runs.js';
import { RunLog } from './runs/run-log.js';
import { EXECUTOR_SETTINGS, type ExecutorSettings } from './settings/executor-settings.js';
import { type Turn, Turns } from './turns.js';
import { FindVictimFacts } from './victim-facts.js';

const untilTouchedMs = 3_600_000;
const afterLostAnswerMs = 1000;

/** The result of a kill, which decides how the run continues. */
type Sent = 'answered' | 'lost' | Withheld;

/**
 * Carries a run out, step by step, until it has to wait or is over. `nextStep` (libs/enforcement) decides the next
 * step; this class performs it: it gathers facts, records events and sends kills, those of a page at the same time. A
 * kill is recorded as ordered before it is sent, and its answer after, so a crash at any point leaves a stream from
 * which the run continues.
 */
@Injectable()
export class CarryOut {
  private readonly log = new Logger('Executor');
  private readonly turns: Turns;
  private readonly streams = new Together((wanted: RestOfStream[][]) => this.readAll(wanted));
  private readonly remembered = new RememberedRuns();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterDriver,
    @Inject(EXECUTOR_SETTINGS) private readonly settings: ExecutorSettings,
    @Inject(OpenRuns) private readonly openRuns: OpenRuns,
    @Inject(ReadRunControl) private readonly controls: ReadRunControl,
    @Inject(FindVictimFacts) private readonly facts: FindVictimFacts,
    @Inject(FindOwnerFacts) private readonly ownerFacts: FindOwnerFacts,
    @Inject(FindQueueFacts) private readonly queueFacts: FindQueueFacts,
    @Inject(RecordTogether) private readonly records: RecordTogether,
    @Inject(RoundSteps) private readonly rounds: RoundSteps,
    @Inject(EvictionGates) private readonly gates: EvictionGates,
  ) {
    this.turns = new Turns(settings.alone ? undefined : db);
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
    const { enforcement } = held;
    let status = followsCluster(run.state) ? await this.readStatus(run, held) : await upToDate(run, first);
    let facts: VictimFacts[] | QueueFacts | undefined;
    let turn: Turn | undefined;
    let hasBegun = false;
    const withheldBefore = new Set<string>();
    try {
      while (!isStopping()) {
        const control = controlOf(status, run.state.opened?.openedAt);
        const step = nextStep(run.state, status.now().toISOString(), control, facts);
        facts = undefined;
        if (step.kind !== 'order' && step.kind !== 'send') turn?.end();
        switch (step.kind) {
          case 'open':
            if (isRound(run.state)) await this.rounds.open(run, this.terms(run, held, status), control.stops);
            else run.note([openRun(run.state, this.terms(run, held, status))]);
            break;
          case 'notify':
            if (!(await this.openRuns.keepHold(enforcement))) return undefined;
            await this.rounds.notify(run, step.victims, status.now());
            status = await this.readStatus(run, held);
            break;
          case 'wait':
            await run.record();
            return step.until ? Date.parse(step.until) - status.now().getTime() : untilTouchedMs;
          case 'check':
            // If the hold was lost, another process carries the run out: this one must not send another kill.
            if (!(await this.openRuns.keepHold(enforcement))) return undefined;
            if (!hasBegun) {
              await this.rounds.beforeKills(run);
              hasBegun = true;
            }
            ({ turn, status } = await this.recordAndTakeTurn(run, held, step, status));
            // The wait for the turn may have been longer than a hold.
            if (!(await this.openRuns.keepHold(enforcement))) return undefined;
            facts = await this.rounds.withOwnFacts(
              run,
              step.victims,
              await this.facts.of(held, step, status, isRound(run.state)),
            );
            facts = await this.ownerFacts.with(run.state, step.victims, facts);
            break;
          case 'check-queue':
            await run.record();
            facts = await this.queueFacts.of(held, step.max);
            break;
          case 'order':
          case 'send': {
            const kills = step.kind === 'order' ? step.kills : [step.kill];
            if (step.kind === 'order') {
              run.note(step.events);
              await run.record({ tx: turn?.tx });
            }
            const before = status;
            const sent = await Promise.all(kills.map((kill) => this.kill(run, held, kill, before)));
            const next = afterKills(kills, sent, withheldBefore);
            if (next === 'go-on') break;
            // The answers of the others are recorded before the run is released.
            await run.record();
            if (next === 'hold-lost') return undefined;
            if (next === 'ask-later') return afterLostAnswerMs;
            // An order is open, and nothing was requested. The new status decides about it; if the run sees no change,
            // it asks the cluster again, but not at once.
            turn?.end();
            status = await this.readStatus(run, held);
            break;
          }
          case 'append': {
            run.note(step.events);
            const over = step.events.some((event) => event.name === 'EnforcementEnded');
            await run.record({
              over,
              effect: over
                ? await this.rounds.effectOfEnd(run, status.now())
                : noMoreLeaving(run.state, step.events),
            });
            if (over) return undefined;
            break;
          }
          case 'done':
            await this.db.transaction((tx) => this.openRuns.remove(tx, [enforcement]));
            return undefined;
        }
      }
      await run.record();
      return 0;
    } finally {
      turn?.end();
    }
  }

  /** Records the outcome of the last victim while it waits for the turn for the next one: they are independent. */
  private async recordAndTakeTurn(
    run: RunLog,
    held: OpenRun,
    step: Extract<Step, { kind: 'check' }>,
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
    { queues }: Extract<Step, { kind: 'check' }>,
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

  private terms(run: RunLog, held: OpenRun, { now, control, settingsOf }: RunStatus): OpeningTerms {
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
      allocations: planned?.queueAllocations ?? 0,
      usage: planned?.queueUsage ?? {},
    };
  }

  /**
   * @returns `lost` if the answer was lost: the order stays open, and the cluster is asked before anything else is
   * done. Or the reason why nothing was requested; then the order stays open too.
   */
  private async kill(run: RunLog, held: OpenRun, kill: Kill, status: RunStatus): Promise<Sent> {
    const { now, control } = status;
    const { partition, rank, allocation, uid, evictionId, reason } = kill;
    const { opened, planned } = run.state;
    const fencingToken = opened?.fencingToken ?? held.fencingToken;
    const victimQueue = planned?.plan.victims[rank - 1]?.queue ?? held.queue;
    const about = { partition, queue: victimQueue, enforcement: held.enforcement, allocation };
    const request = {
      partition,
      allocation,
      ...(uid === undefined ? {} : { uid }),
      graceSeconds: killsWithGrace(run.state) ? status.settingsOf(victimQueue).graceSeconds : 0,
      evictionId,
      fencingToken,
      reason,
      ...(planned && { basis: basisOf(planned, run.state.judgedBy ?? run.state.fired, victimQueue, status) }),
    };
    try {
      const answer = await this.gates.through(
        {
          run: held,
          evictionId,
          victimQueue,
          openedAt: opened?.openedAt,
          fencingToken,
          operatorVersion: run.operatorVersion,
          version: run.recordedVersion,
        },
        (gate) => this.cluster.evict(request, gate),
      );
      if (answer.kind === 'withheld') {
        this.log.warn('Did not request an eviction.', {
          ...about,
          code: answer.code,
          reason: answer.message,
        });
        if (answer.code === holdLost) this.openRuns.doubtHold(held.enforcement);
        return answer;
      }
      run.note(recordAnswer(run.state, now().toISOString(), kill, answer, control));
      return 'answered';
    } catch (error) {
      this.log.warn('The outcome of an eviction is not known yet; will ask again.', { ...about, err: error });
      return 'lost';
    }
  }
}

/** @param withheldBefore eviction ids of kills that were withheld; those of now are added. */
function afterKills(
  kills: readonly Kill[],
  sent: readonly Sent[],
  withheldBefore: Set<string>,
): 'go-on' | 'hold-lost' | 'ask-later' | 'check-again' {
  const withheld = sent.flatMap((how, i) =>
    typeof how === 'object' ? [{ code: how.code, evictionId: kills[i]!.evictionId }] : [],
  );
  if (withheld.some(({ code }) => code === holdLost)) return 'hold-lost';
  if (sent.includes('lost')) return 'ask-later';
  if (withheld.some(({ evictionId }) => withheldBefore.has(evictionId))) return 'ask-later';
  for (const { evictionId } of withheld) withheldBefore.add(evictionId);
  return withheld.length > 0 ? 'check-again' : 'go-on';
}

/** The status of a run, once the run has taken in the events of operators up to it. */
async function upToDate(run: RunLog, status: RunStatus): Promise<RunStatus> {
  await run.takeOperatorEvents(status.operatorEvents);
  return status;
}

function concerned(held: OpenRun, queues: string[], { guaranteed, running }: RunStatus): string[] {
  return [held.queue, ...queues.filter((queue) => guaranteed.has(queue) || running.includes(queue))];
}

/** What a platform can judge an eviction by: guaranteed amounts as the check of the victim read them. */
function basisOf(
  { takenAt, queue }: Pick<PlannedRun, 'takenAt' | 'queue'>,
  { max }: Limit,
  victimQueue: string,
  { guaranteed }: RunStatus,
): EvictionBasis {
  const floors = chainFromRoot(victimQueue).flatMap((path) => {
    const amounts = guaranteed.get(path);
    return amounts && Object.keys(amounts).length > 0 ? [{ queue: path, guaranteed: amounts }] : [];
  });
  return { takenAt, ...(max !== null && { quota: { queue, max } }), ...(floors.length > 0 && { floors }) };
}
