import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { configuration } from '../support/queue-spec.js';
import type { TestPartition } from '../support/test-partition.js';

let system: EmbeddedSystem;
let partition: TestPartition;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
  partition = system.partition();
  await partition.configure({ research: { max: { memory: 100 }, delay: '1h' }, web: {} });
});
afterAll(() => system.stop());

const queue = 'root.reserch';
const call = (words: string[], place: string, stdin?: string) =>
  curtail(['--server', system.url, '--no-color', ...words, '--partition', place], {
    columns: 200,
    ...(stdin === undefined ? {} : { stdin }),
  });
const misspelt = () => `${partition.name}x`;

it.each([
  [['get', 'queues', queue]],
  [['explain', 'queue', queue]],
  [['enforce', queue, '--yes']],
  [['enforce', queue]],
  [['plan', '--queue', queue]],
  [['what-if', '--queue', queue, '--max', 'memory=10']],
  [['settings', queue]],
  [['settings', queue, '--set', 'victimsPerSecond=3']],
  [['export', '--queue', queue]],
  [['apply', '-f', '-', '--queue', queue]],
  [['stop', '--queue', queue]],
  [['freeze', '--queue', queue, '--duration', 'PT1H']],
  [['stop', queue]],
  [['get', 'queues', '--queue', queue]],
  [['get', 'enforcements', '--queue', queue]],
  [['resume', queue]],
  [['resume', '--queue', queue]],
  [['unfreeze', queue]],
  [['cancel', queue]],
  [['wait', queue]],
])('%j names the queue that is meant', async (words) => {
  const { status, stderr } = await call(words, partition.name, 'name: reserch\n');
  expect(stderr).toMatch(/^error: .*[Dd]id you mean root\.research\?/m);
  expect(status).toBe(2);
});

it('a list of a queue that exists has no such warning', async () => {
  const { stderr } = await call(['get', 'enforcements', '--queue', 'root.web'], partition.name);
  expect(stderr).not.toContain('warning');
});

it.each([
  [['get', 'queues']],
  [['get', 'queues', 'root.research']],
  [['explain', 'queue', 'root.research']],
  [['explain', 'allocation', 'a-1']],
  [['enforce', 'root.research', '--yes']],
  [['plan', '--queue', 'root.research']],
  [['what-if', '--queue', 'root.research', '--max', 'memory=10']],
  [['settings']],
  [['export']],
  [['rollback', '1', '--yes']],
  [['approve', '--configuration', '1']],
  [['apply', '-f', '-', '--queue', 'root.research']],
  [['stop']],
  [['freeze', '--duration', 'PT1H']],
  [['mode']],
  [['resume']],
  [['unfreeze']],
  [['mode', 'observe']],
  [['mode', 'enforce']],
  [['status']],
  [['report']],
  [['diff', '1', '2']],
])('%j names the partition that is meant', async (words) => {
  const { status, stderr } = await call(words, misspelt(), 'name: research\n');
  expect(stderr).toMatch(new RegExp(`^error: .*[Dd]id you mean ${partition.name}\\?`, 'm'));
  expect(status).toBe(2);
});

it('a configuration without the named partition names the one that may be meant', async () => {
  const body = JSON.stringify(configuration(partition.name, {}));
  for (const command of ['apply', 'what-if'])
    expect((await call([command, '-f', '-'], misspelt(), body)).stderr).toContain(
      `; it has ${partition.name}; did you mean ${partition.name}?`,
    );
});

it('a report of a partition that does not exist is refused with those there are', async () => {
  const since = '2026-01-01T00:00:00Z';
  const ask = (name: string) => system.request('GET', `/v1/report?since=${since}&partition=${name}`);
  expect((await ask(partition.name)).status).toBe(200);
  expect((await ask('default')).status).toBe(200);
  const { status, body } = await ask('somewhere-else');
  expect({ status, ...body }).toMatchObject({
    ...{ status: 404, type: 'urn:curtail:problem:unknown-partition' },
    detail: expect.stringContaining(partition.name),
  });
});

it('a mode of a partition that does not exist yet is set if it may be unknown, and names the one that may be meant', async () => {
  const later = `${partition.name}y`;
  const { status, stderr } = await call(['mode', 'observe', '--allow-unknown'], later);
  expect(stderr).toContain(
    `warning: no configuration in force has the partition ${later}; did you mean ${partition.name}?`,
  );
  expect(status).toBe(0);
});

it.each([' ', '%', '"', '$jndi:ldap://x', 'a b', 'ä'])(
  'no command makes a partition named %j known, even if it may be unknown',
  async (odd) => {
    const named = encodeURIComponent(odd);
    const before = await system.get('/v1/partitions');
    for (const allowUnknown of [false, true]) {
      const mode = { mode: 'observe', by: 'ada', allowUnknown };
      expect(await system.refused('PUT', `/v1/partitions/${named}/mode`, mode)).toMatchObject({
        status: 400,
      });
      const stop = { partition: odd, by: 'ada', allowUnknown };
      expect(await system.refused('POST', '/v1/kill-switch', stop)).toMatchObject({ status: 400 });
    }
    expect(await system.get('/v1/partitions')).toEqual(before);
  },
);

it('a configuration with a misspelt queue is refused with its name, and one that removes the queue warns of it', async () => {
  const place = system.partition();
  await place.configure({ research: { max: { memory: 100 } } });
  const body = JSON.stringify(configuration(place.name, { reserch: { max: { memory: 100 } } }));
  const refused = await call(['apply', '-f', '-'], place.name, body);
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain(
    'root.research: would be removed; no work runs there; root.reserch is new: is its name right?',
  );
  for (const option of ['--dry-run', '--yes']) {
    const { stdout, stderr } = await call(['apply', '-f', '-', option], place.name, body);
    expect(stderr).toContain('root.reserch: it is new, and root.research is removed: is its name right?');
    if (option === '--yes') expect(stdout).toContain('the queue leaves the configuration');
  }
});

it('a first configuration of a misspelt partition warns of it', async () => {
  await system.request('PUT', '/v1/partitions/production/config', configuration('production', {}));
  const body = JSON.stringify(configuration('prodution', {}));
  expect((await call(['apply', '-f', '-', '--dry-run'], 'prodution', body)).stderr).toContain(
    'partition prodution: it has no configuration yet, and partition production has one: is its name right?',
  );
});
