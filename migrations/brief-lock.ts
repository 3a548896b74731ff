import { setTimeout as delay } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';

const tries = 240;
const pauseMs = 250;

/**
 * Takes the exclusive lock of a table to the end of the transaction, without a queue behind it: whoever waits for such a lock holds
 * up all who come later, so it is waited for only half a second at a time.
 *
 * @throws the last refusal, after some three minutes.
 */
export async function lockBriefly(runner: QueryRunner, table: string): Promise<void> {
  await runner.query("SET LOCAL lock_timeout = '500ms'");
  for (let n = 1; ; n++) {
    await runner.query('SAVEPOINT before_lock');
    try {
      await runner.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      await runner.query('RELEASE SAVEPOINT before_lock');
      return;
    } catch (error) {
      if ((error as { driverError?: { code?: unknown } }).driverError?.code !== '55P03' || n === tries)
        throw error;
      await runner.query('ROLLBACK TO SAVEPOINT before_lock');
      await delay(pauseMs);
    }
  }
}
