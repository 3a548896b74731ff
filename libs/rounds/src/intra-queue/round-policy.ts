import type { DataSource } from 'typeorm';
import { BrokenInvariant, type EventData, readIntraQueueSettings } from '#contracts';
import {
  addMs,
  type KeptNote,
  openRound,
  type PlannedVictim,
  type RunState,
  type VictimOutcome,
  victimNotifiedEvent,
  victimsWith,
} from '#enforcement';
import { databaseTime, type Tx } from '#event-store';
import { announcementOf, countAsLeaving } from '../count-as-leaving.js';
import type { Places, RoundPolicy } from '../round-policy.js';
import { roundNumber } from '../round-table.js';
import {
  approveNotes,
  callOffNotes,
  dropNotes,
  type NotesKey,
  notePreempted,
  readNotes,
  writeNotes,
} from './intra-queue-tables.js';
import { monitoringIntervalMs, planRound } from './plan-round.js';
import { takeInQueueSnapshot } from './take-snapshot.js';

/** A plan older than this, or than the pause between rounds, kills nothing: the next round has newer facts. */
const shortestRoundSeconds = 10;

type Which = Pick<PlannedVictim, 'allocation' | 'application'>;

/**
 * A round reads the notes when it is opened, notifies owners, and writes notes (docs/reference/policies/intra-queue.md
 * §8). Notes change only together with the event that records the change; the next round begins when the last of them
 * has committed.
 */
export const intraQueueRounds: RoundPolicy = {
  name: 'intra-queue',
  takeSnapshot: takeInQueueSnapshot,
  plan: planRound,
  plansSwitchedOff: true,
  intervalMs: monitoringIntervalMs,
  switchedOff: (tx, partition) => callOffNotes(tx, { policy: 'intra-queue', partition }),
  // Again, because a round that was notifying owners while the policy was switched off may have written notes after
  // that.
  switchedOn: (tx, partition) => callOffNotes(tx, { policy: 'intra-queue', partition }),

  async open(places, run, terms, stops) {
    const { key, settings, round } = await roundOf(places.db, run.state);
    const { judged, forget, events } = openRound(
      run.state,
      {
        ...terms,
        roundSeconds: Math.max(shortestRoundSeconds, settings.monitoringInterval / 1000),
      },
      {
        round,
        maxWaitBeforeKillMs: settings.maxWaitBeforeKill,
        notes: await notesOf(places, key),
        stops,
      },
    );
    run.note(events);
    await run.record({
      effect: async (tx) => {
        await dropNotes(tx, key, idsOf(forget));
        await countAsLeaving(
          tx,
          run.state,
          judged.kill.map(({ victim }) => victim),
        );
      },
    });
  },

  async notify({ db, cluster }, run, victims, at) {
    const { key, settings, round } = await roundOf(db, run.state);
    const killAt = new Date(addMs(at.toISOString(), settings.maxWaitBeforeKill));
    await cluster.announce?.(victims.map((victim) => announcementOf(key.partition, victim, killAt)));
    const times = { notifiedAt: at.toISOString(), killAt: killAt.toISOString() };
    const events = victims.map(({ rank }) => victimNotifiedEvent(run.state, rank, times));
    run.note(events);
    const notes = events.map(({ data }) => noteOf(data, round));
    await run.record({ effect: (tx) => writeNotes(tx, key, notes) });
  },

  async atEnd({ db }, state, at) {
    const { key, settings } = await roundOf(db, state);
    const withOutcome = (...outcomes: VictimOutcome[]) => victimsWith(state, ...outcomes);
    const evicted = withOutcome('evicted');
    // Owners of victims that an operator rejected are notified again if a later round selects them: the same question
    // does not return at once.
    const isTurnedDown = state.rejected !== undefined || state.cancelled !== undefined;
    const noted = withOutcome('evicted', 'gone', 'failed', ...(isTurnedDown ? (['spared'] as const) : []));
    const approved = state.approved && !isTurnedDown ? withOutcome('spared') : [];
    return async (tx) => {
      await approveNotes(tx, key, idsOf(approved));
      await leaveBehind(tx, key, { noted, evicted, at, cooldownMs: settings.cooldown });
    };
  },

  /** An operator's approval is not kept: the next round asks again. */
  async atGivingUp(tx, { policy, partition, settings }, settled) {
    const withOutcome = (...outcomes: VictimOutcome[]) =>
      settled.filter(({ outcome }) => outcomes.includes(outcome));
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
  },
};

const idsOf = (those: readonly { allocation: string }[]) => those.map(({ allocation }) => allocation);

async function notesOf({ db, cluster }: Places, key: NotesKey): Promise<KeptNote[]> {
  const notes = await readNotes(db, key);
  const ready = await cluster.readyToGo?.(key.partition, idsOf(notes));
  return notes.map((note) => (note.uid && ready?.has(note.uid) ? { ...note, ready: true } : note));
}

async function roundOf(db: DataSource, { planned }: RunState) {
  if (!planned) throw new BrokenInvariant('a round without a plan cannot be carried out');
  const { partition, enforcement, plan } = planned;
  const key = { policy: plan.policy, partition };
  return {
    key,
    settings: readIntraQueueSettings(planned.settings),
    // A round that was given up does nothing more: another process has its lock.
    round: (await roundNumber(db, key, enforcement)) ?? 0,
  };
}

/** Removes the notes of victims that are done, and starts the cooldown of applications that lost allocations. */
async function leaveBehind(
  tx: Tx,
  key: NotesKey,
  round: { noted: readonly Which[]; evicted: readonly Which[]; at: Date; cooldownMs: number },
): Promise<void> {
  const { noted, evicted, at, cooldownMs } = round;
  await dropNotes(tx, key, idsOf(noted));
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
