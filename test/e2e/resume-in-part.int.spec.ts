import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import type { TestPartition } from '../support/test-partition.js';

let system: EmbeddedSystem;
let partition: TestPartition;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
  partition = system.partition();
  await partition.configure({ a: { queues: { b: {} } }, web: {} });
});
afterAll(() => system.stop());

const call = (...words: string[]) =>
  curtail(['--server', system.url, '--no-color', '-o', 'table', ...words, '--partition', partition.name], {
    columns: 200,
  });

it('a resumed queue names the stops that still hold it, or queues below it', async () => {
  const command = (queue = '') =>
    `curtail --server ${system.url} resume --partition ${partition.name}${queue && ` --queue ${queue}`}\n`;
  await call('stop');
  await call('stop', '--queue', 'root.a');
  await call('stop', '--queue', 'root.a.b');
  const held = await call('resume', '--queue', 'root.a');
  expect(held.stdout).toBe(
    `1 stop was cleared; evictions in root.a and below (partition ${partition.name}) stay stopped\n`,
  );
  expect(held.stderr).toContain(`next: resume them: ${command()}`);
  const none = await call('resume', '--queue', 'root.web');
  expect(none.stdout).toBe(
    `no stop was cleared; evictions in root.web and below (partition ${partition.name}) stay stopped\n`,
  );
  await call('resume');
  await call('stop', '--queue', 'root.a');
  await call('stop', '--queue', 'root.a.b');
  const above = await call('resume', '--queue', 'root.a');
  expect(above.stdout).toBe(
    `evictions in root.a and below (partition ${partition.name}) resume; 1 stop was cleared\n`,
  );
  expect(above.stderr).toContain(
    `evictions in root.a.b and below (partition ${partition.name}) stay stopped. To resume them: ${command('root.a.b')}`,
  );
});
