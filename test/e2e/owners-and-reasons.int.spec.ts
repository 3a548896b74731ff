import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import type { TestPartition } from '../support/test-partition.js';

let system: EmbeddedSystem;
let partition: TestPartition;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
  partition = system.partition();
  await partition.configure({
    research: { max: { memory: 100 }, delay: '1h' },
    web: { max: { memory: 100 } },
  });
});
afterAll(() => system.stop());

const call = (...words: string[]) =>
  curtail(['--server', system.url, '--no-color', ...words, '--partition', partition.name], { columns: 200 });

describe('a stop', () => {
  it('keeps its reason when it is set again without one, and takes another', async () => {
    const stops = async () => {
      const { body } = await system.request('GET', '/v1/kill-switch');
      const items = (body as { items: { partition: string; reason: string | null }[] }).items;
      return items.filter((stop) => stop.partition === partition.name).map(({ reason }) => reason);
    };
    await call('stop', 'root.research', '--reason', 'wrong quota');
    await call('stop', 'root.research');
    expect(await stops()).toEqual(['wrong quota']);
    await call('stop', 'root.research', '--reason', 'storage');
    expect(await stops()).toEqual(['storage']);
    const refused = await call('enforce', 'root.research');
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('stopped evictions in root.research (storage).');
    expect(await call('resume', 'root.research')).toMatchObject({ status: 0 });
  });
});

describe('enforce', () => {
  it('refuses what could have no effect before it shows or asks anything, and a check requests nothing', async () => {
    const { status, stdout, stderr } = await call('enforce', 'root.web');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^error: .*root\.web.*\n/);
    expect(stderr).not.toContain('Request it?');
    const { body } = await system.request(
      'GET',
      `/v1/events?partition=${partition.name}&type=EnforcementRequested`,
    );
    expect(body).toMatchObject({ items: [] });
  });
});

describe('an owner who knows no allocation', () => {
  it.each(['application', 'user'])('is told that nothing was evicted, by %s', async (kind) => {
    const { status, stdout } = await call('explain', kind, 'nobody');
    expect(status).toBe(0);
    expect(stdout).toContain(
      `${kind} nobody, partition ${partition.name}: no run has chosen any of its allocations`,
    );
    expect(await call('get', 'victims', `--${kind}`, 'nobody')).toMatchObject({
      status: 0,
      stdout: `no victims of nobody in partition ${partition.name}\n`,
    });
    expect(await call('get', 'events', `--${kind}`, 'nobody')).toMatchObject({ status: 0 });
  });

  it('has to be named', async () => {
    const { status, stderr } = await call('get', 'victims');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: whose victims\? Name --user or --application\nnext: /);
  });
});

it('a misspelt state names the one that is meant', async () => {
  const { status, stderr } = await call('get', 'enforcements', '--state', 'waitng');
  expect(status).toBe(2);
  expect(stderr).toContain('did you mean waiting?');
});
