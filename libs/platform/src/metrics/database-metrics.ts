import { Gauge, type Registry } from 'prom-client';

/** The database of the process. */
export function databaseMetrics(registers: Registry[]) {
  const refused = new Gauge({
    name: 'curtail_database_writes_refused',
    help: '1 while the database refuses every write, by reason: its disk is full, or it is read-only.',
    labelNames: ['reason'],
    registers,
  });
  return {
    /** @param reason undefined: it takes writes. */
    refusesWrites(reason: string | undefined): void {
      refused.reset();
      if (reason !== undefined) refused.set({ reason }, 1);
    },
  };
}
