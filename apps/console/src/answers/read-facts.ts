import type { DataSource } from 'typeorm';
import { chainFromRoot, type SnapshotAllocation } from '#contracts';
import { typesOf } from '#contracts/events';
import type { AnsweredRun, AnswerFacts } from '#enforcement';
import { runStream, type Tx } from '#event-store';
import { lastEventAbout, nextClock, openingOf, runsWithVictim } from './statements.js';

/** The run that an answer is for. */
export interface AnsweredTo {
  run?: AnsweredRun | undefined;
  clock?: AnswerFacts['clock'];
}

const ordered = new Set(typesOf('VictimOrdered'));
const settled = new Set(
  (['VictimEvicted', 'VictimGone', 'VictimSpared', 'VictimFailed'] as const).flatMap((name) => typesOf(name)),
);
const notified = new Set(typesOf('VictimNotified'));

/** The open run that is to evict an allocation, else the run that is due next in its queue or above and has no plan yet. */
export async function answeredTo(
  db: Tx | DataSource,
  partition: string,
  { id, uid, queue }: Pick<SnapshotAllocation, 'id' | 'uid' | 'queue'>,
): Promise<AnsweredTo> {
  const runs = await runsWithVictim(db, partition, id, uid ?? null);
  for (const { enforcement } of runs) {
    const run = await runOf(db, enforcement, id);
    if (run) return { run };
  }
  const [clock] = await nextClock(db, partition, chainFromRoot(queue));
  return { clock };
}

/** @returns undefined if the victim has its outcome. */
async function runOf(
  db: Tx | DataSource,
  enforcement: string,
  allocation: string,
): Promise<AnsweredRun | undefined> {
  const stream = runStream(enforcement);
  const [opened] = await openingOf(db, stream, typesOf('EnforcementOpened'));
  const [last] = await lastEventAbout(db, stream, allocation);
  if (last && settled.has(last.type)) return undefined;
  const isAsked = last !== undefined && notified.has(last.type);
  // A round that only notifies has settled it.
  if (isAsked && last.data.interrupts !== true) return undefined;
  return {
    enforcement,
    opened: opened?.data,
    isOrdered: last !== undefined && ordered.has(last.type),
    killAt: isAsked ? last.data.killAt : undefined,
  };
}
