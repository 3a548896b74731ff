import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  AllocationExplanation,
  ListPage,
  NameList,
  NoticeView,
  PartitionView,
  QueueExplanation,
} from '#contracts/api';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { configuration } from '../support/queue-spec.js';
import type { TestPartition } from '../support/test-partition.js';

const ten = { memory: 10 };

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
});
afterAll(() => system.stop());

const call = (words: string[], columns?: number) =>
  curtail(['--server', system.url, '--no-color', ...words], columns === undefined ? {} : { columns });

describe('a partition', () => {
  let partition: TestPartition;
  const view = () => system.get<PartitionView>(`/v1/partitions/${partition.name}`);
  beforeAll(async () => {
    partition = system.partition();
    await partition.configure({ a: { max: { memory: 100 }, delay: '1h' } });
  });

  it('shows its configuration, and the default mode until one is set', async () => {
    expect(await view()).toMatchObject({
      mode: 'enforce',
      modeIsDefault: true,
      quotaPreemptionEnabled: true,
      policies: [],
      queues: 2,
      stops: [],
    });
    const { stdout } = await call(['mode', '--partition', partition.name], 120);
    expect(stdout).toBe(
      `partition ${partition.name} is enforced: victims are evicted; this is the default, no mode was set\n`,
    );
  });

  it('shows the mode and the stops that were set, to operators too', async () => {
    await call(['mode', 'observe', '--partition', partition.name]);
    await call(['stop', '--partition', partition.name, '--queue', 'root.a', '--reason', 'wrong quota']);
    const { name } = partition;
    expect(await system.get(`/v1/partitions/${name}/mode`)).toEqual({
      partition: name,
      mode: 'observe',
      modeIsDefault: false,
    });
    expect(await system.refused('GET', '/v1/partitions/nosuch/mode')).toMatchObject({ status: 404 });
    const shown = await view();
    expect(shown).toMatchObject({
      mode: 'observe',
      modeIsDefault: false,
      stops: [{ partition: partition.name, queue: 'root.a', reason: 'wrong quota' }],
    });
    expect(Date.now() - Date.parse(shown.stops[0]!.since)).toBeLessThan(60_000);
    expect((await call(['get', 'partitions', partition.name], 160)).stdout).toMatch(
      new RegExp(`^${partition.name} +observe +enforced +- +2 +root\\.a +`, 'm'),
    );
    expect((await call(['get', 'stops'], 160)).stdout).toMatch(
      new RegExp(`^${partition.name} +root\\.a +.* wrong quota$`, 'm'),
    );
    const { stdout: named } = await call(['get', 'stops', '-o', 'name']);
    expect(named).toContain(`stop/${name}/root.a\n`);
    expect((await call(['get', `stop/${name}/root.a`, '-o', 'json'])).stdout).toContain('wrong quota');
    expect((await call(['get', `stop/${name}/root.b`])).status).toBe(2);
    expect((await call(['mode', '--partition', partition.name], 120)).stdout).toContain('is observed: ');
  });

  it('resumes the stop that `-o name` names, and that one alone', async () => {
    const { name } = partition;
    const stopped = async () => (await view()).stops.map(({ queue }) => queue);
    for (const queue of [[], ['--queue', 'root.a'], ['--queue', 'root.b']]) {
      await call(['stop', '--partition', name, ...queue, '--allow-unknown']);
    }
    const { status, stderr } = await call(['resume', `stop/${name}`]);
    expect(status).toBe(2);
    expect(stderr).toContain(`partition ${name} has 2 stops of queues as well`);
    expect(await stopped()).toEqual([null, 'root.a', 'root.b']);
    expect((await call(['resume', `stop/${name}/ROOT.a`])).status).toBe(0);
    expect(await stopped()).toEqual([null, 'root.b']);
    expect((await call(['resume', `stop/${name}/root.b`, '--queue', 'root.a'])).status).toBe(2);
    expect((await call(['resume', 'root.b', '--partition', name])).status).toBe(0);
    expect(await stopped()).toEqual([null]);
    expect((await call(['resume', `stop/${name}`])).status).toBe(0);
    expect(await stopped()).toEqual([]);
  });

  it('is listed with all others, page by page', async () => {
    await system.partition().configure({});
    const all = await system.get<ListPage<PartitionView>>('/v1/partitions?limit=1000');
    const names: string[] = [];
    for (let after = ''; ; ) {
      const page = await system.get<ListPage<PartitionView>>(`/v1/partitions?limit=1${after}`);
      names.push(...page.items.map((item) => item.partition));
      if (page.next === undefined) break;
      after = `&after=${page.next}`;
    }
    expect(names).toEqual(all.items.map((item) => item.partition));
    expect(names).toContain(partition.name);
  });

  it('that nothing is known of is an error, and no empty list', async () => {
    const { status, stderr } = await call(['get', 'timers', '--partition', 'nosuch']);
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^error: there is no partition nosuch; there (is|are) .*\nnext: .*get partitions\n$/,
    );
    expect((await call(['mode', '--partition', 'nosuch'])).status).toBe(2);
    const unconfigured = system.partition();
    await unconfigured.run({ queue: 'root.a', count: 1, resources: ten });
    expect((await call(['get', 'timers', '--partition', unconfigured.name])).status).toBe(0);
  });

  it('has the version that its submission was answered with', async () => {
    const version = async (answer: Record<string, unknown>) => {
      const { version: inForce } = await system.get<{ version: number }>(
        `/v1/partitions/${partition.name}/config`,
      );
      expect(inForce).toBe(answer.version);
      expect((await view()).version).toBe(inForce);
    };
    await version(await partition.configure({ a: { max: { memory: 50 }, delay: '1h' }, b: {} }));
    await version(await partition.configure({ a: { max: { memory: 50 }, delay: '1h' }, b: {} }));
  });
});

describe('a queue that the configuration does not have', () => {
  const explained = ({ name }: TestPartition, path: string) =>
    system.get<QueueExplanation>(`/v1/queues/${path}/explanation?partition=${name}`);

  it('is explained after it was removed', async () => {
    const partition = system.partition();
    await partition.configure({ a: { max: { memory: 100 }, delay: '1h' }, b: {} });
    await partition.configure({ b: {} });
    await partition.event('EnforcementCancelled', 'root.a');
    const why = await explained(partition, 'root.a');
    expect(why).toMatchObject({ configured: false, queue: { queue: 'root.a', max: null } });
    expect(Date.parse(why.removedAt!)).toBeGreaterThan(Date.now() - 60_000);
    expect(why.history.map(({ event }) => event)).toContain('QueueRemoved');
    const { stdout } = await call(['explain', 'queue', 'root.a', '--partition', partition.name], 200);
    expect(stdout).toMatch(
      /^root\.a is not in the configuration in force: a configuration removed it .*\.\nQUEUE/,
    );

    await partition.configure({ a: {}, b: {} });
    expect(await explained(partition, 'root.a')).toMatchObject({ configured: true, removedAt: null });
  });

  it('is explained where a placement rule made it, by what runs there', async () => {
    const partition = system.partition();
    await partition.configure({ b: {} });
    await partition.run({ queue: 'root.made', count: 2, resources: ten });
    expect(await explained(partition, 'root.made')).toMatchObject({
      configured: false,
      removedAt: null,
      queue: { queue: 'root.made', usage: { memory: 20 }, delaySeconds: 0, dueAt: null },
    });
  });

  it('and of which nothing is known does not exist, nor does the name of a partition', async () => {
    const partition = system.partition();
    await partition.configure({ b: {} });
    for (const path of ['root.nowhere', partition.name])
      expect(
        await system.refused('GET', `/v1/queues/${path}/explanation?partition=${partition.name}`),
      ).toMatchObject({ status: 404, remedy: expect.stringContaining(`--partition ${partition.name}`) });
  });
});

describe('names', () => {
  let partition: TestPartition;
  let enforcement: string;
  beforeAll(async () => {
    partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: ten });
    await partition.configure({ a: { max: { memory: 40 }, delay: '20ms' } });
    enforcement = (await partition.ended('root.a')).data.enforcement;
    await partition.handled();
  });
  const names = async (kind: string, prefix: string) =>
    (await system.get<NameList>(`/v1/names/${kind}?prefix=${prefix}&partition=${partition.name}`)).items;

  it('are found by what they begin with, also those of work that is gone', async () => {
    expect(await names('enforcement', enforcement.slice(0, 9))).toEqual([enforcement]);
    expect(await names('allocation', 'a-')).toEqual(['a-1', 'a-2', 'a-3', 'a-4', 'a-5']);
    expect(await names('allocation', 'a-5')).toEqual(['a-5']);
    expect(await names('allocation', 'a-1')).toEqual(['a-1']);
    expect(await names('replay', 'r-none')).toEqual([]);
    expect(await system.refused('GET', '/v1/names/dogs?prefix=a')).toMatchObject({ status: 400 });
  });

  it('may be shortened in commands', async () => {
    const short = enforcement.slice(0, 9);
    const of = ['--partition', partition.name];
    for (const words of [
      ['get', 'enforcements', short],
      ['get', 'plans', short],
      ['explain', 'enforcement', short],
    ])
      expect((await call([...words, ...of, '-o', 'json'])).stdout).toContain(enforcement);
    const { status, stderr } = await call(['explain', 'allocation', 'a', ...of]);
    expect(status).toBe(2);
    expect(stderr).toContain('a is ambiguous: a-1, a-2, a-3, a-4, a-5; write more of it');
    expect((await call(['cancel', short])).stderr).toContain(`Run ${enforcement} of root.a has ended`);
  });

  it('are taken as `-o name` prints them', async () => {
    const of = ['--partition', partition.name];
    const { stdout } = await call(['get', 'enforcements', ...of, '-o', 'name']);
    expect(stdout).toBe(`enforcement/${enforcement}\n`);
    expect((await call(['get', stdout.trim(), '-o', 'json'])).stdout).toContain(enforcement);
    expect((await call(['cancel', stdout.trim()])).stderr).toContain(`Run ${enforcement} of root.a`);
    expect((await call(['get', 'queue/root.a', ...of, '-o', 'name'])).stdout).toBe('queue/root.a\n');
    expect((await call(['get', 'queues', ...of, '--queue', 'queue/root.a', '-o', 'name'])).stdout).toBe(
      'queue/root.a\n',
    );
    expect((await call(['mode', '--partition', `partition/${partition.name}`])).status).toBe(0);
  });

  it('of an allocation that no one knows are an error', async () => {
    const path = `/v1/allocations/nosuch/explanation?partition=${partition.name}`;
    expect(await system.refused('GET', path)).toMatchObject({
      status: 404,
      remedy: expect.stringContaining(`get allocations --partition ${partition.name}`),
    });
    expect((await call(['explain', 'allocation', 'nosuch', '--partition', partition.name])).status).toBe(2);
    const gone = await system.get<AllocationExplanation>(
      `/v1/allocations/a-5/explanation?partition=${partition.name}`,
    );
    expect(gone.chosen).toHaveLength(1);
  });
});

describe('the character NUL', () => {
  it.each([
    ['GET', '/v1/queues/root.a%00b'],
    ['GET', '/v1/queues?queue=root%00'],
    ['GET', '/v1/names/allocation?prefix=%00'],
  ])('in an address is refused: %s %s', async (method, path) => {
    expect(await system.refused(method, path)).toMatchObject({ status: 400 });
  });

  it('in a body is refused, and the field is named', async () => {
    const stop = { partition: 'default', reason: 'a\u0000b' };
    expect(await system.refused('POST', '/v1/kill-switch', stop)).toMatchObject({
      status: 400,
      path: 'reason',
    });
    const response = await fetch(`${system.url}/v1/partitions/default/config`, {
      method: 'PUT',
      headers: { 'content-type': 'application/yaml' },
      body: 'partitions:\n  - name: de\u0000fault\n',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ line: 2, column: 13 });
    const { status } = await system.request('POST', '/v1/kill-switch', {
      partition: 'p',
      reason: 'a\\u0000b',
      allowUnknown: true,
    });
    expect(status).toBe(200);
  });
});

describe('an unusual delay', () => {
  it('is reported once in the answer to a submission and its preview, and is no notice', async () => {
    const partition = system.partition();
    const queues = {
      a: { max: { memory: 1 }, delay: '10s' },
      b: { max: { memory: 1 }, delay: '10s' },
      c: { max: { memory: 1 }, delay: '6h' },
    };
    const once = [
      {
        code: 'delay-unusual',
        path: expect.stringContaining('queues[0].queues[0]'),
        message:
          'a delay of 10 s is below 60 s; is the unit right? 2 more delays are unusual; curtail validate lists them.',
      },
    ];
    const preview = await partition.submit(configuration(partition.name, queues), '?dryRun=true');
    expect(preview.body).toMatchObject({ warnings: once });
    expect(await partition.configure(queues)).toMatchObject({ warnings: once });
    await partition.handled();
    const { items } = await system.get<ListPage<NoticeView>>(`/v1/notices?partition=${partition.name}`);
    expect(items.filter(({ code }) => code === 'delay-unusual')).toEqual([]);
  });
});

describe('a changed guaranteed amount', () => {
  it('is reported by a submission and its preview', async () => {
    const partition = system.partition();
    await partition.configure({ a: { max: { memory: 100 }, guaranteed: { memory: 20 } }, b: {} });
    const lowered = { a: { max: { memory: 100 }, guaranteed: { memory: 10 } }, b: {} };
    const change = {
      queue: 'root.a',
      previous: { guaranteed: { memory: 20 } },
      current: { guaranteed: { memory: 10 } },
    };
    const preview = await partition.submit(configuration(partition.name, lowered), '?dryRun=true');
    expect(preview.body).toMatchObject({ changed: [], guaranteedChanged: [change], victims: 0 });
    expect(await partition.configure(lowered)).toMatchObject({ changed: [], guaranteedChanged: [change] });
    expect(await partition.configure(lowered)).toMatchObject({ guaranteedChanged: [] });
  });
});

describe('a run that is not needed when it is due', () => {
  it('is counted', async () => {
    const counted = async () => {
      const text = await (await fetch(`${system.url}/metrics`)).text();
      const line = /^curtail_enforcements_total\{(?=.*quota-decrease)(?=.*not-needed).*\} (\d+)$/m.exec(text);
      return Number(line?.[1] ?? 0);
    };
    const before = await counted();
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 2, resources: ten });
    await partition.configure({ a: { max: { memory: 100 }, delay: '20ms' } });
    const { data } = await partition.event('EnforcementCancelled', 'root.a');
    expect(data).toMatchObject({ cause: 'not-needed' });
    await system.until('the count', async () => (await counted()) === before + 1);
  });
});
