import { addMs, toMs } from '../instants.js';
import { coveringStop, type Stop } from '../run/control.js';

/*
 * Mark, wait, kill (docs/reference/policies/intra-queue.md §8). Between two rounds only the notes are remembered:
 *
 *   (no note) ──chosen──▶ noted ──chosen again, its wait over──▶ killed, the note is gone
 *                           └──not chosen, twice its wait over──▶ forgotten
 *
 * A crash leaves the notes as the last recorded round left them: a wait goes on where it was, and is never begun anew.
 */

/** What is remembered of an allocation whose owner was told. Of another incarnation under the same id it says nothing. */
export interface VictimNote {
  allocation: string;
  uid?: string;
  notifiedAt: string;
  /** What its owner was told: not before this. */
  killAt: string;
  /** The round that told. */
  round: number;
  /** An operator has let its kill go on. */
  approved?: boolean;
  /** Its owner has saved what was to be saved: nobody is waited for. Not kept, but found out for each round. */
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
  notes: readonly VictimNote[];
  maxWaitBeforeKillMs: number;
  /** Nobody is told and nobody killed: the partition, or the policy in it, only observes. */
  observing: boolean;
  /** The kill switches that are set in the partition. */
  stops: readonly Stop[];
}

/** What a round comes to; every victim is in one of `notify`, `wait`, `kill` and `held`, in the order of the plan. */
export interface Judgement<V extends ChosenVictim = ChosenVictim> {
  notify: V[];
  /** Told by an earlier round, and not to be killed before `killAt`. */
  wait: { victim: V; killAt: string }[];
  kill: { victim: V; note: VictimNote }[];
  /** Neither told nor killed, since a switch is off or set. */
  held: V[];
  /** Notes that count no more. */
  forget: VictimNote[];
}

/**
 * Who is told, who waits, who is killed, and what is forgotten.
 *
 * A wait lasts as long as the owner was told, also if the setting was lowered since, and as long as the setting says now. It is
 * over when both have passed it, the snapshot that chose the victim and the clock: a plan that was long under way
 * kills nobody early. An owner that says that it is ready ends its wait. Whom a switch holds back counts as not chosen: when it is released they are told anew, unless their
 * wait is hardly over.
 */
export function judgeRound<V extends ChosenVictim>(
  round: Omit<RoundToJudge, 'victims'> & { victims: readonly V[] },
): Judgement<V> {
  const notes = new Map(round.notes.map((note) => [note.allocation, note]));
  const judged: Judgement<V> = { notify: [], wait: [], kill: [], held: [], forget: [] };
  const counted = new Set<VictimNote>();
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
  const told = new Set(judged.notify.map(({ allocation }) => allocation));
  judged.forget = round.notes.filter(
    (note) =>
      !counted.has(note) &&
      // A note of another incarnation is replaced by the new one at once.
      (told.has(note.allocation) || age(note, round.now) >= 2 * round.maxWaitBeforeKillMs),
  );
  return judged;
}

/** Whether anything follows from a round, beside that its plan may be shown. */
export function changesAnything({ notify, kill, forget }: Judgement): boolean {
  return notify.length + kill.length + forget.length > 0;
}

function isOver(
  note: VictimNote,
  { round, takenAt, now, maxWaitBeforeKillMs }: Omit<RoundToJudge, 'victims'>,
): boolean {
  if (note.round >= round) return false;
  if (note.ready) return true;
  const ends = toMs(waitEnds(note, maxWaitBeforeKillMs));
  return toMs(takenAt) >= ends && toMs(now) >= ends;
}

function waitEnds(note: VictimNote, maxWaitBeforeKillMs: number): string {
  const bySetting = addMs(note.notifiedAt, maxWaitBeforeKillMs);
  return toMs(note.killAt) > toMs(bySetting) ? note.killAt : bySetting;
}

function age(note: VictimNote, at: string): number {
  return toMs(at) - toMs(note.notifiedAt);
}
