import { migrateDatabase, openDatabase } from '#event-store';
import { migrations } from '#migrations';
import { PAGE, projectionsRows } from '../../bench/replay.js';
import { count, report } from '../../bench/report.js';
import type { Three } from '../../scripts/infra/index.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import { createDatabase } from './system.js';

/** The reading again of a long log into projections, on the same servers. `npm run bench -- replay` has it for a longer one. */
export async function benchDistributedReplay({ postgres }: Three, { replayed }: Scale): Promise<void> {
  progress(`replay: writing ${count(replayed)} events, and reading them again`);
  const url = await createDatabase(postgres.url, 'bench-replay');
  await migrateDatabase(url, migrations);
  const database = await openDatabase(url);
  try {
    const rows = await projectionsRows(url, database, replayed);
    report(`Replay over ${count(replayed)} events, pages of ${count(PAGE)}`, rows);
  } finally {
    await database.destroy();
  }
}
