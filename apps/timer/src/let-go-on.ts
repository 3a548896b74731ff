import type { Tx } from '@curtail/event-store';
import { timerKind } from './schedule-session.js';

/** Queues below a run that has ended, which were due and waited for it, are looked at again. */
export async function letGoOn(tx: Tx, freed: { partition: string; queue: string }[]): Promise<void> {
  for (const { partition, queue } of freed) {
    await tx.query(
      `UPDATE timers SET state = 'pending'
       WHERE kind = $1 AND partition = $2 AND state = 'waiting' AND name > $3 || '.' AND name < $3 || '/'`,
      [timerKind, partition, queue],
    );
  }
}
