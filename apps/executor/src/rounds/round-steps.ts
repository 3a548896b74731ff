import { CLUSTER_DRIVER, type ClusterDriver } from '@curtail/clusters';
import { type EventData, readIntraQueueSettings } from '@curtail/contracts';
import {
  addMs,
  isRound,
  type KeptNote,
  notifiesInOneRound,
  type OpeningTerms,
  openRound,
  type PlanInBrief,
  type PlannedVictim,
  type RunState,
  runPolicyOf,
  type Stop,
  type VictimOutcome,
  victimNotified,
  victimsWith,
} from '@curtail/enforcement';
import { databaseTime, type Tx } from '@curtail/event-store';
import {
  approveNotes,
  dropNotes,
  type NotesKey,
  notePreempted,
  readNotes,
  releaseRounds,
  writeNotes,
} from '@curtail/rounds';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RunLog } from '../run-log.js';
import { announcementOf } from './announcement.js';
import { countAsLeaving } from './count-as-leaving.js';
import { FairShareSteps } from './fair-share-steps.js';

/** By a plan that is older than this, or than the pause between rounds, nobody is killed: the next round knows better. */
const shortestRoundSeconds = 10;

/** What is written together with an event. */
export type Effect = (tx: Tx) => Promise<void>;

type Which = Pick<PlannedVictim, 'allocation' | 'application'>;

/** A victim of a run that was given up, and what became of it. */
export type SettledVictim = Which & { outcome: VictimOutcome };

interface GivenUpRun extends Pick<PlanInBrief, 'policy' | 'partition' | 'enforcement'> {
  settings: unknown;
}

/**
 * What a round does beside what every run does: it reads the notes when it is opened, tells owners, and leaves notes behind
 * (docs/reference/policies/intra-queue.md §8). Notes change only together with the event that says so; the next round begins when the
 * last of them has committed.
 */
@Injectable()
export class RoundSteps {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterDriver,
    @Inject(FairShareSteps) private readonly fairShare: FairShareSteps,
  ) {}

  /** Opens the round: who is told, waits or is killed is decided here, once. */
  async open(run: RunLog, terms: OpeningTerms, stops: readonly Stop[]): Promise<void> {
    if (!notifiesInOneRound(run.state)) return this.fairShare.open(run, terms, stops);
    const { key, settings, round } = await this.roundOf(run.state);
    const { judged, forget, events } = openRound(
      run.state,
      {
        ...terms,
        roundSeconds: Math.max(shortestRoundSeconds, settings.monitoringInterval / 1000),
      },
      {
        round,
        maxWaitBeforeKillMs: settings.maxWaitBeforeKill,
        notes: await this.notes(key),
        stops,
      },
    );
    run.note(events);
    await run.record({
      effect: async (tx) => {
        await dropNotes(
          tx,
          key,
          forget.map(({ allocation }) => allocation),
        );
        await countAsLeaving(
          tx,
          run.state,
          judged.kill.map(({ victim }) => victim),
        );
      },
    });
  }

  /**
   * Tells the owners, then records that they were told. A crash in between tells them twice, and never kills anybody whose
   * owner was not told.
   */
  async notify(run: RunLog, victims: PlannedVictim[], notifiedAt: Date): Promise<void> {
    if (!notifiesInOneRound(run.state)) return this.fairShare.ask(run, victims, notifiedAt);
    const { key, settings, round } = await this.roundOf(run.state);
    const killAt = new Date(addMs(notifiedAt.toISOString(), settings.maxWaitBeforeKill));
    await this.cluster.announce?.(victims.map((victim) => announcementOf(key.partition, victim, killAt)));
    const told = { notifiedAt: notifiedAt.toISOString(), killAt: killAt.toISOString() };
    const events = victims.map(({ rank }) => victimNotified(run.state, rank, told));
    run.note(events);
    const notes = events.map(({ data }) => noteOf(data, round));
    await run.record({ effect: (tx) => writeNotes(tx, key, notes) });
  }

  /** What the end of a run changes beside the log, if it is that of a round. */
  async effectOfEnd(run: RunLog, at: Date): Promise<Effect | undefined> {
    const { state } = run;
    if (!isRound(state)) return undefined;
    if (!notifiesInOneRound(state)) return this.fairShare.effectOfEnd(run);
    const { key, settings } = await this.roundOf(state);
    const { planned } = state;
    const withOutcome = (...outcomes: VictimOutcome[]) => victimsWith(state, ...outcomes);
    const evicted = withOutcome('evicted');
    // Turned down by an operator, they are told anew if they are chosen again: the same question does not come at once.
    const isTurnedDown = state.rejected !== undefined || state.cancelled !== undefined;
    const noted = withOutcome('evicted', 'gone', 'failed', ...(isTurnedDown ? (['spared'] as const) : []));
    const approved = state.approved && !isTurnedDown ? withOutcome('spared') : [];
    return async (tx) => {
      await approveNotes(
        tx,
        key,
        approved.map(({ allocation }) => allocation),
      );
      await leaveBehind(tx, key, { noted, evicted, at, cooldownMs: settings.cooldown });
      await releaseRounds(tx, [planned!.enforcement]);
    };
  }

  /**
   * The same for a run that was not loaded (`GiveUp`). An operator's approval is not kept: the next round asks again.
   *
   * @param settled all victims.
   */
  async leaveGivenUp(
    tx: Tx,
    { policy, partition, enforcement, settings }: GivenUpRun,
    settled: readonly SettledVictim[],
  ): Promise<void> {
    const { isRound: leavesNotes, notifiesInOneRound: notes } = runPolicyOf(policy);
    if (!leavesNotes) return;
    const withOutcome = (...outcomes: VictimOutcome[]) =>
      settled.filter(({ outcome }) => outcomes.includes(outcome));
    if (notes) {
      await leaveBehind(
        tx,
        { policy, partition },
        {
          noted: withOutcome('evicted', 'gone', 'failed'),
          evicted: withOutcome('evicted'),
          at: await databaseTime(tx),
          cooldownMs: readIntraQueueSettings(settings).cooldown,
        },
      );
    } else await this.fairShare.leaveGivenUp(tx, partition, withOutcome('failed'));
    await releaseRounds(tx, [enforcement]);
  }

  private async notes(key: NotesKey): Promise<KeptNote[]> {
    const notes = await readNotes(this.db, key);
    const ids = notes.map(({ allocation }) => allocation);
    const ready = await this.cluster.readyToGo?.(key.partition, ids);
    return notes.map((note) => (note.uid && ready?.has(note.uid) ? { ...note, ready: true } : note));
  }

  private async roundOf({ planned }: RunState) {
    if (!planned) throw new Error('a round without a plan cannot be carried out');
    const { partition, enforcement, plan } = planned;
    const rows: { round: string }[] = await this.db.query(
      'SELECT round::text FROM rounds WHERE policy = $1 AND partition = $2 AND enforcement = $3',
      [plan.policy, partition, enforcement],
    );
    return {
      key: { policy: plan.policy, partition },
      settings: readIntraQueueSettings(planned.settings),
      // Of a round that was given up nothing is done any more: its lock is another's.
      round: Number(rows[0]?.round ?? 0),
    };
  }
}

/** Notes of those that are through go, and applications that lost something are left alone for a while. */
async function leaveBehind(
  tx: Tx,
  key: NotesKey,
  round: { noted: readonly Which[]; evicted: readonly Which[]; at: Date; cooldownMs: number },
): Promise<void> {
  const { noted, evicted, at, cooldownMs } = round;
  await dropNotes(
    tx,
    key,
    noted.map(({ allocation }) => allocation),
  );
  await notePreempted(
    tx,
    key.partition,
    evicted.map(({ application }) => application),
    { at, cooldownMs },
  );
}

function noteOf(data: EventData<'VictimNotified'>, round: number): KeptNote {
  const { allocation, uid, application, victimQueue, notifiedAt, killAt, enforcement } = data;
  return {
    allocation,
    ...(uid === undefined ? {} : { uid }),
    application,
    queue: victimQueue,
    notifiedAt,
    killAt,
    round,
    notifiedBy: enforcement,
  };
}
