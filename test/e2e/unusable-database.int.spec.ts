import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { assertBuilt } from '../support/curtail-process.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { StartedProgram } from '../support/started-program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let database: TestDatabase;
beforeEach(async () => {
  await assertBuilt();
  folder = await temporaryFolder();
  database = await createTestDatabase();
});
afterEach(async () => {
  await database?.drop();
  await folder?.remove();
});

it.each([
  ['where nothing listens', { port: '1' }, /ECONNREFUSED/],
  ['that has another password', { password: 'of-the-owner' }, /password authentication failed/],
  ['that does not have the database', { pathname: '/missing' }, /"missing" does not exist/],
])('a start names the setting of a PostgreSQL %s, and the remedy', async (_what, parts, reason) => {
  const url = Object.assign(new URL(database.url), parts);
  const started = StartedProgram.spawn('node bin/curtail.mjs start --port 0', {
    environment: { CURTAIL_DATA: folder.path, DATABASE_URL: url.href },
  });
  expect({ ...(await started.ended), output: started.output }).toMatchObject({
    code: 2,
    output: expect.stringMatching(
      /DATABASE_URL names a database that cannot be used .*: start it, or correct/s,
    ),
  });
  expect(started.output).toMatch(reason);
  expect(started.output).not.toContain(url.password);
});
