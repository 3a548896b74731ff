import type { Tx } from './database.js';
import { earlyCommit } from './pg-patches/preparing-client.js';

/**
 * Sends the commit of a transaction together with the statements that were issued just before, without waiting for their answers. Call it in
 * the same turn of the event loop, and await those statements too. The transaction can have no further statements.
 *
 * Only for statements that fail in the server where nothing may be committed (`append`): after this, no answer can hold the commit back. If
 * any of them fails, all of them are rolled back, and the transaction fails with the first of their errors.
 *
 * This saves a round trip, for which locks would be held and readers of the log would wait.
 *
 * @param these the statements and whatever issues them: where one has failed before they are written to the connection, a rollback is sent
 * in place of the commit.
 */
export async function commitWithThese(tx: Tx, these: readonly Promise<unknown>[]): Promise<void> {
  if (!awaiting.has(tx)) await tx.query(earlyCommit, [...these]);
}

const awaiting = new WeakSet<Tx>();

/** The owner of a transaction has to see all answers before its commit, or a statement was not sent: `commitWithThese` sends nothing. */
export function awaitAnswers(tx: Tx): void {
  awaiting.add(tx);
}
