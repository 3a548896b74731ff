import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { assertBuilt } from '../support/curtail-process.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { serviceApps } from '../support/service-process.js';
import { StartedProgram } from '../support/started-program.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { shapes } from './shapes.js';

/** Curtail in each of its shapes, as a process of its own: it gets ready, and ends in order with all that it has started. */
describe('curtail start, with', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const started: StartedProgram[] = [];
  const databases: TestDatabase[] = [];
  const database = async () => {
    const made = await createTestDatabase();
    databases.push(made);
    return made.url;
  };

  beforeAll(async () => {
    await assertBuilt();
    folder = await temporaryFolder();
  });
  afterAll(async () => {
    for (const one of started) await one.end('SIGKILL', 'group');
    for (const one of databases) await one.drop();
    await folder?.remove();
  });

  it.each(Object.entries(shapes))('%s', async (_, { options = '', settings, own, shows }) => {
    const curtail = StartedProgram.spawn(`node bin/curtail.mjs start --port 0 ${options}`, {
      environment: {
        CURTAIL_DATA: join(folder.path, `data-${started.length}`),
        CURTAIL_CONFIG: join(folder.path, 'config.yaml'),
        ...settings,
        ...own?.({ database: await database() }),
      },
    });
    started.push(curtail);
    await curtail.written(/Ctrl-C stops it/);
    expect(curtail.output).toMatch(shows);
    expect(await curtail.end('SIGTERM')).toEqual({ code: 0, signal: null, left: [] });
  });

  it('npm start, which ends in order with npm whatever ends that', async () => {
    for (const [signal, to] of [
      ['SIGHUP', 'process'],
      ['SIGINT', 'group'],
    ] as const) {
      const data = join(folder.path, `data-${started.length}`);
      const npm = StartedProgram.spawn(`npm start -- --port 0 --no-sample --data ${data}`);
      started.push(npm);
      await npm.written(/Ctrl-C stops it/);
      expect(await npm.end(signal, to)).toMatchObject({ left: [] });
      // "Stopped.", not "exiting at once".
      expect(npm.output).toMatch(/Stopped\./);
      expect(() => readFileSync(join(data, 'cluster/postmaster.pid'))).toThrow(/ENOENT/);
    }
  });

  it('every service alone, on nothing but a database', async () => {
    const environment = { DATABASE_URL: await database(), CURTAIL_PORT: '0' };
    const services = serviceApps.map((app) =>
      StartedProgram.spawn(`node dist/apps/${app}/src/main.js`, { environment }),
    );
    started.push(...services);
    for (const service of services) await service.written(/it answers at/);
    for (const service of services)
      expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null, left: [] });
  });
});
