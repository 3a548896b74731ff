import { addMs, toMs } from '../instants.js';
import { coveringStop, type Stop } from '../run/control.js';

/*
 * Mark, wait, kill (docs/reference/policies/intra-queue.md §8). Only the notes are kept between two rounds:
 *
 *   (no note) ──chosen──▶ noted ──chosen again, wait over──▶ killed, note removed
 *                           └──not chosen for twice the wait──▶ forgotten
 *
 * A crash leaves the notes as the last recorded round left them: a wait continues where it was and never restarts.
 */

/** An allocation whose owner was notified. It does not apply to another incarnation under the same id. */
export interface NoteOfVictim {
  allocation: string;
  uid?: string;
  notifiedAt: string;
  /** The earliest kill time that its owner was notified of. */
  killAt: string;
  /** The round that notified. */
  round: number;
  /** An operator has approved its kill. */
  approved?: boolean;
  /** Its owner has saved its work, so the wait is over. Not stored: each round determines it. */
  ready?: boolean;
}

export interface ChosenVictim {
  allocation: string;
  uid?: string;
  queue: string;
  rank: number;
}

export interface RoundToJudge {
  /** Counts the rounds of the partition. */
  round: number;
  /** When the snapshot was taken that the victims were chosen on. */
  takenAt: string;
  now: string;
  victims: readonly ChosenVictim[];
  /** All of the partition, each allocation once. */
  notes: readonly NoteOfVictim[];
  maxWaitBeforeKillMs: number;
  /** No owner is notified and no victim is killed: the partition, or the policy in it, only observes. */
  observing: boolean;
  /** The kill switches that are set in the partition. */
  stops: readonly Stop[];
}

/** The result of a round. Every victim is in one of `notify`, `wait`, `kill` and `held`, in the order of the plan. */
export interface Judgement<V extends ChosenVictim = ChosenVictim> {
  notify: V[];
  /** Notified by an earlier round, and not to be killed before `killAt`. */
  wait: { victim: V; killAt: string }[];
  kill: { victim: V; note: NoteOfVictim }[];
  /** Neither notified nor killed, because a switch is off or set. */
  held: V[];
  /** Notes that no longer count. */
  forget: NoteOfVictim[];
}

/**
 * Decides which victims are notified, wait or are killed, and which notes are forgotten.
 *
 * A wait lasts at least as long as the owner was notified of, even if the setting was lowered since, and at least as
 * long as the setting requires now. It is over when both the snapshot that chose the victim and the clock have passed
 * its end, so a plan that was long under way kills no victim early. An owner that reports that it is ready ends its
 * wait. A victim that a switch holds back counts as not chosen: once released, its owner is notified again, unless its
 * wait ended only recently.
 */
export function judgeRound<V extends ChosenVictim>(
  round: Omit<RoundToJudge, 'victims'> & { victims: readonly V[] },
): Judgement<V> {
  const notes = new Map(round.notes.map((note) => [note.allocation, note]));
  const judged: Judgement<V> = { notify: [], wait: [], kill: [], held: [], forget: [] };
  const counted = new Set<NoteOfVictim>();
  for (const victim of round.victims) {
    if (round.observing || coveringStop(victim.queue, round.stops)) {
      judged.held.push(victim);
      continue;
    }
    const note = notes.get(victim.allocation);
    if (note?.uid !== victim.uid || note === undefined) {
      judged.notify.push(victim);
      continue;
    }
    counted.add(note);
    if (isOver(note, round)) judged.kill.push({ victim, note });
    else judged.wait.push({ victim, killAt: waitEnds(note, round.maxWaitBeforeKillMs) });
  }
  const notified = new Set(judged.notify.map(({ allocation }) => allocation));
  judged.forget = round.notes.filter(
    (note) =>
      !counted.has(note) &&
      // A note of another incarnation is replaced by the new one at once.
      (notified.has(note.allocation) || age(note, round.now) >= 2 * round.maxWaitBeforeKillMs),
  );
  return judged;
}

/** Whether a round changes anything, apart from the plan that is shown. */
export function changesAnything({ notify, kill, forget }: Judgement): boolean {
  return notify.length + kill.length + forget.length > 0;
}

function isOver(
  note: NoteOfVictim,
  { round, takenAt, now, maxWaitBeforeKillMs }: Omit<RoundToJudge, 'victims'>,
): boolean {
  if (note.round >= round) return false;
  if (note.ready) return true;
  const ends = toMs(waitEnds(note, maxWaitBeforeKillMs));
  return toMs(takenAt) >= ends && toMs(now) >= ends;
}

function waitEnds(note: NoteOfVictim, maxWaitBeforeKillMs: number): string {
  const bySetting = addMs(note.notifiedAt, maxWaitBeforeKillMs);
  return toMs(note.killAt) > toMs(bySetting) ? note.killAt : bySetting;
}

function age(note: NoteOfVictim, at: string): number {
  return toMs(at) - toMs(note.notifiedAt);
}
