import type { DataSource, QueryRunner } from 'typeorm';

/** A transaction that stays open as long as a test needs it: on a busy machine, that is longer than those of services may be idle. */
export async function heldTransaction(db: DataSource): Promise<QueryRunner> {
  const held = db.createQueryRunner();
  await held.startTransaction();
  await held.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  return held;
}
