import type { DataSource } from 'typeorm';
import { typesOf } from '#contracts/events';
import { extensionEnd } from '#enforcement';
import { extendedRows } from './statements.js';

/** A victim whose owner has extended its time. */
export interface ExtendedVictim {
  allocation: string;
  /** RFC 3339: it is not evicted before. */
  until: string;
  /** In the read model: `planned`, `refused` or `notified`. */
  state: string;
}

/** The unsettled victims of runs whose extensions have not ended, by run. @param at by the clock of the database. */
export async function extendedVictims(
  db: DataSource,
  enforcements: readonly string[],
  at: Date,
): Promise<Map<string, ExtendedVictim[]>> {
  const rows = await extendedRows(db, enforcements, typesOf('EnforcementOpened'));
  const byRun = new Map<string, ExtendedVictim[]>();
  for (const { enforcement, allocation, answers, opened, state } of rows) {
    const until = extensionEnd(answers, opened ?? undefined);
    if (until === undefined || Date.parse(until) <= at.getTime()) continue;
    const known = byRun.get(enforcement) ?? [];
    byRun.set(enforcement, [...known, { allocation, until, state }]);
  }
  return byRun;
}
