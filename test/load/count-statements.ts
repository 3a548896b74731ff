import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type pg from 'pg';
import type { Three } from '../../scripts/infra/index.js';

/** @returns how many statements the server is sent during the work, by its log: writing that costs time, so nothing else is measured meanwhile. */
export async function countStatements(
  { postgres }: Three,
  database: pg.Client,
  work: () => Promise<void>,
): Promise<number> {
  const begin = (await stat(postgres.log)).size;
  const log = async (what: 'all' | 'none') => {
    await database.query(`ALTER SYSTEM SET log_statement = '${what}'`);
    await database.query('SELECT pg_reload_conf()');
  };
  await log('all');
  try {
    await work();
  } finally {
    await log('none');
  }
  let found = 0;
  for await (const line of createInterface({ input: createReadStream(postgres.log, { start: begin }) }))
    if (/ LOG: {2}(?:execute|statement)/.test(line)) found++;
  return found;
}
