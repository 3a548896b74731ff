import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Preview, StatusView } from '#contracts/api';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import type { TestPartition } from '../support/test-partition.js';

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
});
afterAll(() => system.stop());

const q = 'yarn.scheduler.capacity.root.';
const GiB = 1024 ** 3;

/** root.cards may use `most` percent of the nodes without a label, and all of those with the label CARD. */
const labelled = (most: number, delay = '1s') => ({
  ...withoutLabels(most, delay),
  [`${q}accessible-node-labels`]: 'CARD',
  [`${q}accessible-node-labels.CARD.capacity`]: '100',
  [`${q}cards.accessible-node-labels.CARD.capacity`]: '100',
});
const withoutLabels = (most: number, delay = '1s') => ({
  [`${q}queues`]: 'cards,plain',
  [`${q}cards.capacity`]: '20',
  [`${q}cards.maximum-capacity`]: String(most),
  [`${q}cards.quota-preemption-delay`]: delay,
  [`${q}plain.capacity`]: '80',
});

/** Ten nodes of each kind. root.cards uses 30 % of those without a label, and all of the others. */
async function cluster(): Promise<TestPartition> {
  const partition = system.partition();
  await system.db.query(
    `INSERT INTO simulated_nodes (partition, id, capacity)
     SELECT $1, 'n' || nr, json_build_object('memory', $2::bigint) FROM generate_series(1, 20) AS nr`,
    [partition.name, 100 * GiB],
  );
  const each = { queue: 'root.cards', resources: { memory: 10 * GiB } };
  await partition.run({ ...each, name: 'prep', count: 30 }, { ...each, name: 'train', count: 100 });
  return partition;
}

const submit = async (partition: TestPartition, body: unknown, query = '') => {
  const answer = await partition.submit(body, query);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};

it('a quota beside node labels is never enforced, and everything says why', async () => {
  const partition = await cluster();
  const { name } = partition;
  const call = (...argv: string[]) =>
    curtail(['--server', system.url, '--no-color', ...argv, '--partition', name], { columns: 200 });
  const why = 'node labels (CARD), which Curtail does not count: nothing is enforced in it.';

  const applied = await submit(partition, labelled(30));
  expect(applied).toMatchObject({ quotaPreemptionEnabled: false, nodeLabels: ['CARD'], policyChanges: [] });
  expect((applied.warnings as { code: string }[]).map(({ code }) => code)).toContain('node-labels');

  const preview = (await submit(partition, labelled(20), '?dryRun=true')) as unknown as Preview;
  expect(preview).toMatchObject({ victims: 0, rounds: [], nodeLabels: ['CARD'] });
  expect(preview.changed).toMatchObject([
    { queue: 'root.cards', waitsFor: [{ for: 'switch', because: expect.stringContaining(why) }] },
  ]);
  expect(preview.changed[0]!.plan).toBeUndefined();

  await submit(partition, labelled(20));
  await partition.event('EnforcementScheduled', 'root.cards');
  await partition.settled();
  expect(await partition.events('EnforcementStarted')).toEqual([]);
  expect(await partition.remaining()).toHaveLength(130);

  const { attention, partitions } = await system.get<StatusView>(`/v1/status?partition=${name}`);
  expect(attention).toMatchObject([{ code: 'node-labels', about: { kind: 'partition', name } }]);
  expect(partitions[0]!.above.first).toMatchObject([
    { queue: 'root.cards', reason: expect.stringContaining(why) },
  ]);
  const status = await call('status', '-o', 'table');
  expect(status.status).toBe(1);
  expect(status.stdout).toContain('nothing is enforced: node labels (CARD)');
  expect(status.stdout).toContain('remove the keys of node labels');
  expect((await call('get', 'queues', '-o', 'table')).stdout).toContain(
    'suspended: not enforced: node labels (CARD)',
  );
  expect((await call('get', 'timers', '-o', 'json')).stdout).toContain(why);
  expect((await call('get', 'partitions', '-o', 'table')).stdout).toContain(
    'not enforced: node labels (CARD)',
  );
  expect((await call('explain', 'queue', 'root.cards', '-o', 'table')).stdout).toContain(why);

  const planned = await call('plan', '--queue', 'root.cards', '-o', 'table');
  expect(planned.stdout).toContain(why);
  expect(planned.stdout).not.toContain('train');
  expect(
    await system.request('POST', '/v1/queues/root.cards/enforce', { partition: name, by: 'ada' }),
  ).toMatchObject({
    status: 409,
    body: { type: 'urn:curtail:problem:node-labels' },
  });
  const whatIf = await call('what-if', '--queue', 'root.cards', '--max', 'memory=100G', '-o', 'table');
  expect(whatIf.stdout).toContain('none is planned: node labels (CARD)');
  expect(whatIf.stdout).not.toContain('train');
  const folder = await temporaryFolder();
  const file = join(folder.path, 'lowered.json');
  await writeFile(file, JSON.stringify(labelled(25)));
  const previewed = await call('apply', '-f', file, '--dry-run', '-o', 'table');
  expect(previewed.stderr).not.toMatch(/^error/m);
  expect(previewed.stdout).toContain('nothing is enforced: the configuration has node labels (CARD)');
  expect(previewed.stdout).toContain('nothing would be evicted');
  await folder.remove();

  // With the keys of node labels gone, all nodes count: 20 % of 2000 GiB.
  await submit(partition, withoutLabels(20));
  expect((await partition.ended('root.cards')).data).toMatchObject({ outcome: 'satisfied', evicted: 90 });
});

it('a rollback to node labels is no way around them', async () => {
  const partition = await cluster();
  const { version } = await submit(partition, labelled(20, '1h'));
  await submit(partition, withoutLabels(30, '1h'));
  expect(
    await system.request('POST', `/v1/partitions/${partition.name}/configurations/${version}/rollback`, {}),
  ).toMatchObject({ status: 200, body: { quotaPreemptionEnabled: false, nodeLabels: ['CARD'] } });
});
