import { isDeepStrictEqual } from 'node:util';
import type { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import { append, databaseTime, planStream } from '#event-store';
import { lastFailure, type Round, type RoundFailure, settleRound } from '#rounds';
import { roundQueue } from './round-events.js';

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
