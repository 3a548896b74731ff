import { mkdirSync, writeFileSync } from 'node:fs';
import { it } from '@jest/globals';
import { openDatabase } from '#event-store';
import { createMigratedDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { putHistory, resultsOf, takeHistory, textOf } from './history.js';
import { scenes } from './scenes.js';
import { schemasOfToday } from './schemas.js';

/* Run by `node scripts/record-histories.mjs <version>`: plays the scenes, and writes what the services wrote. */
const version = process.env.CURTAIL_RECORD_HISTORIES ?? '';
const folder = new URL(`${version}/`, import.meta.url);
mkdirSync(folder, { recursive: true });

it('the schemas of the events', () => {
  writeFileSync(new URL('schemas.json', folder), `${JSON.stringify(schemasOfToday())}\n`);
});

it.each(Object.entries(scenes))('%s', async (name, { settings, play }) => {
  const system = await EmbeddedSystem.start(settings);
  const database = await createMigratedDatabase();
  const db = await openDatabase(database.url);
  try {
    const partition = system.partition();
    await play(system, partition);
    const history = await takeHistory(system.db);
    await putHistory(db, history);
    writeFileSync(new URL(`${name}.jsonl`, folder), textOf(history));
    writeFileSync(new URL(`${name}.results.json`, folder), `${JSON.stringify(await resultsOf(db))}\n`);
  } finally {
    await db.destroy();
    await database.drop();
    await system.stop();
  }
});
