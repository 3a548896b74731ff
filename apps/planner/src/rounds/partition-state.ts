import { isDeepStrictEqual } from 'node:util';
import type { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import { type ModeSettings, modeInForce } from '#enforcement';
import { append, databaseTime, planStream } from '#event-store';
import { HOLDS_OF, type Holds, stopsAt } from '#holds';
import { lastFailure, type PartitionState, type Round, type RoundFailure, settleRound } from '#rounds';
import { roundQueue } from './round-events.js';

export async function partitionState(
  db: DataSource,
  partition: string,
  settings: ModeSettings,
): Promise<PartitionState> {
  const rows = await db.query<(Pick<PartitionState, 'now' | 'awaitsApproval'> & { holds: Holds })[]>(
    `SELECT now() AS now, ${HOLDS_OF('$1')} AS holds,
            EXISTS (SELECT FROM runs
                    WHERE partition = $1 AND own_lock AND awaits_approval) AS "awaitsApproval"`,
    [partition],
  );
  const { holds, ...row } = rows[0]!;
  const stops = stopsAt(holds, row.now.getTime());
  return { ...row, mode: modeInForce(holds.mode, settings).mode, stops };
}

/**
 * Settles a round that cannot be planned. The same reason is reported once, not with every round.
 *
 * @returns true if it is reported now.
 */
export async function settleFailed(
  db: DataSource,
  round: Round,
  failure: RoundFailure,
  seconds: number,
): Promise<boolean> {
  const { policy, partition } = round;
  const last = await lastFailure(db, round);
  const isKnown = last !== null && isSameFailure(last, failure);
  await db.transaction(async (tx) => {
    await settleRound(tx, round, {
      leaseMs: null,
      seconds,
      plannedAt: await databaseTime(tx),
      failure,
      shown: round.shown,
    });
    if (isKnown) return;
    const { code, message, about } = failure;
    const why = { code, message, about };
    const event: DomainEvent = {
      name: 'RoundFailed',
      data: { partition, queue: roundQueue, policy, round: round.round, ...why, notices: [why] },
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

/** Compares everything but the sentences, which have numbers that differ from round to round. */
function isSameFailure(a: RoundFailure, b: RoundFailure): boolean {
  const identity = ({ message: _, ...others }: RoundFailure) => others;
  return isDeepStrictEqual(identity(a), identity(b));
}
