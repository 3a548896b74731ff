import type { DomainEvent } from '@curtail/contracts';
import { append, databaseTime, planStream } from '@curtail/event-store';
import { lastFailure, type Round, type RoundStanding, settleRound } from '@curtail/rounds';
import type { DataSource } from 'typeorm';
import { roundQueue } from './round-events.js';

export async function standingOf(
  db: DataSource,
  partition: string,
  defaultMode: RoundStanding['mode'],
): Promise<RoundStanding> {
  const rows: (Omit<RoundStanding, 'mode'> & { mode: RoundStanding['mode'] | null })[] = await db.query(
    `SELECT now() AS now, (SELECT mode FROM partition_modes WHERE partition = $1) AS mode,
            (SELECT coalesce(json_agg(json_build_object('queue', nullif(queue, ''), 'by', set_by)), '[]')
             FROM kill_switches WHERE partition = $1) AS stops,
            EXISTS (SELECT FROM executions
                    WHERE partition = $1 AND own_lock AND awaits_approval) AS "awaitsApproval"`,
    [partition],
  );
  const row = rows[0]!;
  return { ...row, mode: row.mode ?? defaultMode };
}

/**
 * The round cannot be planned. The same reason is said once, not with every round.
 *
 * @returns whether it is said now.
 */
export async function settleFailed(
  db: DataSource,
  round: Round,
  failure: { code: string; message: string },
  seconds: number,
): Promise<boolean> {
  const { policy, partition } = round;
  const isKnown = (await lastFailure(db, round))?.message === failure.message;
  await db.transaction(async (tx) => {
    await settleRound(tx, round, {
      leaseMs: null,
      seconds,
      plannedAt: await databaseTime(tx),
      failure,
      shown: round.shown,
    });
    if (isKnown) return;
    const event: DomainEvent = {
      name: 'RoundFailed',
      data: { partition, queue: roundQueue, policy, round: round.round, ...failure, notices: [failure] },
    };
    await append(tx, [
      {
        stream: planStream(round.enforcement),
        partition,
        expectedVersion: 0,
        events: [{ event, key: roundQueue }],
      },
    ]);
  });
  return !isKnown;
}
