import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PartitionView, QueueRunPreview } from '#contracts/api';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { configuration } from '../support/queue-spec.js';
import type { TestPartition } from '../support/test-partition.js';

const ten = { memory: 10 };

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start({ approveAboveVictims: 3 });
});
afterAll(() => system.stop());

const call = (partition: TestPartition, words: string[], stdin?: string) =>
  curtail(['--server', system.url, '--no-color', ...words, '--partition', partition.name], {
    columns: 120,
    ...(stdin === undefined ? {} : { stdin }),
  });

async function metrics(): Promise<string> {
  await system.measureWaiting();
  return (await fetch(`${system.url}/metrics`)).text();
}

/** A queue with 100 in use and a quota of 50, whose clock an operator has cancelled. */
async function cancelled(delay = '1h', max = 50): Promise<TestPartition> {
  const partition = system.partition();
  await partition.configure({ a: { max: { memory: 100 }, delay }, b: {} });
  await partition.run({ queue: 'root.a', count: 10, resources: ten });
  await partition.configure({ a: { max: { memory: max }, delay }, b: {} });
  const { data } = await partition.event('EnforcementRescheduled', 'root.a');
  await cancel(partition, data.enforcement);
  return partition;
}

async function cancel(partition: TestPartition, enforcement: string): Promise<void> {
  await system.until('the read model', async () => {
    return (await system.request('POST', `/v1/enforcements/${enforcement}/cancel`, {})).status === 200;
  });
  await partition.event('EnforcementCancelled', 'root.a');
}

describe('a queue whose run was cancelled', () => {
  it('shows what a run would evict now, and changes nothing by that', async () => {
    const partition = await cancelled();
    const before = (await partition.log()).length;
    const { stdout, stderr, status } = await call(partition, ['plan', '--queue', 'root.a']);
    expect(status).toBe(1);
    expect(stdout).toContain('No clock runs for root.a. A run now would evict:');
    expect(stdout.match(/^ *\d+ +a-\d+ /gm)).toHaveLength(5);
    expect(stderr).toContain(`enforce root.a --partition ${partition.name}`);
    expect((await partition.log()).length).toBe(before);
  });

  it('has its run at once on request, after the operator has seen it and agreed', async () => {
    const partition = await cancelled('1h', 80);
    const { stdout, stderr, status } = await call(
      partition,
      ['enforce', 'root.a', '--now', '--reason', 'maintenance'],
      'y\n',
    );
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stderr).toContain('would evict 2 allocations. Request it? [y/N]');
    expect(stdout).toContain('requested a run of root.a at once: it uses 20 B above its quota');
    const { data } = await partition.ended('root.a');
    expect(data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
    const [requested] = await partition.events('EnforcementRequested', 'root.a');
    expect(requested?.data).toMatchObject({ atOnce: true, reason: 'maintenance' });
    expect(await partition.remaining('root.a')).toHaveLength(8);
  });

  it('keeps its work where the operator does not agree', async () => {
    const partition = await cancelled();
    const { stderr, status } = await call(partition, ['enforce', 'root.a', '--now'], 'n\n');
    expect(status).toBe(2);
    expect(stderr).toContain('nothing was changed');
    expect(await partition.events('EnforcementRequested')).toEqual([]);
  });

  it('has a clock with its delay, which the request at once brings forward', async () => {
    const partition = await cancelled('1h', 80);
    expect((await call(partition, ['enforce', 'root.a', '--yes'])).status).toBe(0);
    const { data } = await partition.event('EnforcementScheduled', 'root.a', 2);
    expect(data).toMatchObject({ cause: 'requested', current: { delayMs: 3_600_000 } });
    const again = await call(partition, ['enforce', 'root.a', '--yes']);
    expect(again.status).toBe(2);
    expect(again.stderr).toContain(`Its clock runs: ${data.enforcement} is due at`);
    const preview = await system.get<QueueRunPreview>(
      `/v1/partitions/${partition.name}/queues/root.a/preview`,
    );
    expect(preview).toMatchObject({ enforcement: data.enforcement, running: null, run: { order: 1 } });
    expect(preview.run?.plan?.victims).toHaveLength(2);
    expect((await call(partition, ['enforce', 'root.a', '--now', '--yes'])).status).toBe(0);
    expect((await partition.ended('root.a')).data).toMatchObject({ evicted: 2 });
  });

  it('is rejected with its configuration, which the request says beforehand', async () => {
    const partition = await cancelled('1h', 80);
    const { version } = await system.get<PartitionView>(`/v1/partitions/${partition.name}`);
    expect((await call(partition, ['reject', '--configuration', `${version}`])).status).toBe(0);
    const rejected = `Configuration ${version} was rejected by ${userInfo().username}, so a run of root.a will be rejected and evict nothing.`;
    const asked = await call(partition, ['enforce', 'root.a', '--now'], 'n\n');
    expect(asked.stderr).toContain(rejected);
    const { status, stderr } = await call(partition, ['enforce', 'root.a', '--now', '--yes']);
    expect(status).toBe(0);
    expect(stderr).toContain(rejected);
    expect(stderr).toContain(`approve --configuration ${version}`);
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'rejected', evicted: 0 });
    expect(await partition.remaining('root.a')).toHaveLength(10);
  });

  it('still waits for approval of a large run', async () => {
    const partition = await cancelled('1h', 10);
    const { stdout } = await call(partition, ['plan', '--queue', 'root.a']);
    expect(stdout).toMatch(/^It waits: .*approv/m);
    await call(partition, ['enforce', 'root.a', '--now', '--yes']);
    await partition.event('EnforcementOpened', 'root.a');
    expect(await partition.remaining('root.a')).toHaveLength(10);
  });

  it('is approved by an operator who has seen what the run would do now', async () => {
    const partition = await cancelled('1h', 10);
    await call(partition, ['enforce', 'root.a', '--now', '--yes']);
    const { data } = await partition.event('EnforcementOpened', 'root.a');
    const state = async () =>
      (await system.request('GET', `/v1/enforcements/${data.enforcement}`)).body.state;
    await system.until('the read model', async () => (await state()) === 'waiting for approval');
    const approve = (answer: string) =>
      curtail(['--server', system.url, '--no-color', 'approve', data.enforcement], {
        columns: 200,
        stdin: answer,
      });
    const { status, stderr } = await approve('n\n');
    expect(status).toBe(2);
    expect(stderr).toContain(`Run ${data.enforcement} planned to evict 9 allocations (90 B): `);
    expect(stderr).toContain('Queue root.a is 90 B above its quota now');
    expect(await partition.events('PlanApproved')).toEqual([]);
    expect((await approve('y\n')).status).toBe(0);
    expect((await partition.ended('root.a')).data).toMatchObject({ evicted: 9 });
  });

  it('is not approved by a script that does not confirm', async () => {
    const partition = await cancelled('1h', 10);
    await call(partition, ['enforce', 'root.a', '--now', '--yes']);
    const { data } = await partition.event('EnforcementOpened', 'root.a');
    const approve = (...words: string[]) =>
      curtail(['--server', system.url, 'approve', data.enforcement, ...words]);
    await system.until('the read model', async () => {
      const { body } = await system.request('GET', `/v1/enforcements/${data.enforcement}`);
      return body.state === 'waiting for approval';
    });
    expect((await approve()).stderr).toContain('Add --yes to confirm.');
    const waiting = `curtail_runs_waiting_for_approval{partition="${partition.name}"}`;
    expect(await metrics()).toContain(`${waiting} 1`);
    expect(await partition.events('PlanApproved')).toEqual([]);
    expect((await approve('--yes')).status).toBe(0);
    await partition.ended('root.a');
    await system.until('the read model', async () => !(await metrics()).includes(waiting));
  });
});

describe('a request that could have no effect is refused with the reason', () => {
  const refused = async (partition: TestPartition, queue: string) => {
    const { status, stderr } = await call(partition, ['enforce', queue, '--yes']);
    expect(status).toBe(2);
    return stderr;
  };

  it('for a queue within its quota, without a delay, or unknown', async () => {
    const partition = system.partition();
    await partition.configure({ a: { max: { memory: 100 }, delay: '1h' }, b: { max: { memory: 5 } } });
    await partition.run({ queue: 'root.b', count: 1, resources: ten });
    await cancel(partition, (await partition.event('EnforcementScheduled', 'root.a')).data.enforcement);
    expect(await refused(partition, 'root.a')).toContain('It is within its quota.');
    expect(await refused(partition, 'root.b')).toContain('Its delay is 0');
    expect(await refused(partition, 'root.c')).toContain('There is no queue root.c');
  });

  it('for a stopped queue, and names who stopped it', async () => {
    const partition = await cancelled();
    await system.request('POST', '/v1/kill-switch', { partition: partition.name, by: 'ada' });
    expect(await refused(partition, 'root.a')).toContain('User ada stopped evictions in the partition.');
  });
});

describe('a frozen queue', () => {
  const freeze = (partition: TestPartition, ...words: string[]) => call(partition, ['freeze', ...words]);
  const lower = (partition: TestPartition, max: number) =>
    partition.configure({
      a: { max: { memory: max }, delay: '20ms' },
      b: { max: { memory: 100 }, delay: '20ms' },
    });

  /** A queue with 100 in use and a quota of 100, and another one. */
  async function inUse(): Promise<TestPartition> {
    const partition = system.partition();
    await lower(partition, 100);
    await partition.event('EnforcementCancelled', 'root.a');
    await partition.run({ queue: 'root.a', count: 10, resources: ten });
    return partition;
  }

  it('keeps its work until the freeze is cleared, and every view shows its end', async () => {
    const partition = await inUse();
    const { stdout, stderr, status } = await freeze(
      partition,
      '--queue',
      'root.a',
      '--duration',
      'PT1H',
      '--reason',
      'release',
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('next: ') });
    expect(stdout).toMatch(
      /^evictions in root\.a and below \(partition .*\) are frozen until \d{4}-.* \(f-[0-9a-f]{12}\)/,
    );
    await lower(partition, 80);
    const { data: waits } = await partition.event('EnforcementRescheduled', 'root.a');
    expect(waits).toMatchObject({ cause: 'frozen', notices: [{ code: 'frozen' }] });
    const { items } = await system.get<{ items: { freeze: string; until: string }[] }>('/v1/freezes');
    const set = items.find(({ until }) => until === waits.dueAt)!;

    const timers = await call(partition, ['get', 'timers', '--utc']);
    const until = `${waits.dueAt.slice(0, 19).replace('T', ' ')}Z`;
    expect(timers.stdout.replace(/\s+/g, ' ')).toContain(`waits until ${until}: User`);
    expect(timers.stdout.replace(/\s+/g, ' ')).toContain(`froze root.a until ${until} (release).`);
    const status_ = await call(partition, ['status', '--utc']);
    expect(status_.stdout.replace(/\s+/g, ' ')).toContain(`froze root.a until ${until} (release).`);
    const plan = await call(partition, ['plan', '--queue', 'root.a', '--utc']);
    expect(plan.stdout.replace(/\s+/g, ' ')).toContain(`froze root.a until ${until} (release).`);
    expect((await call(partition, ['get', 'freezes'])).stdout).toContain(set.freeze);

    expect(await metrics()).toContain('curtail_waiting{reason="frozen"} 1\n');
    const refused = await call(partition, ['enforce', 'root.a', '--now', '--yes']);
    expect({ status: refused.status, stderr: refused.stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('froze root.a until'),
    });
    expect(await partition.remaining('root.a')).toHaveLength(10);

    const cleared = await call(partition, ['unfreeze', set.freeze]);
    expect(cleared.stdout).toBe(`1 freeze was cleared: ${set.freeze}\n`);
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
    const causes = (await partition.events('EnforcementRescheduled', 'root.a')).map(({ data }) => data.cause);
    expect(causes).toEqual(['frozen', 'unfrozen']);
  });

  it('shows in a dry run the freeze in which a clock would fall due', async () => {
    const partition = await inUse();
    await freeze(
      partition,
      '--queue',
      'root.a',
      '--from',
      '2020-01-01T00:00',
      '--duration',
      'P1D',
      '--rule',
      'FREQ=DAILY',
    );
    const quotas = { a: { max: { memory: 80 }, delay: '20ms' }, b: { max: { memory: 100 }, delay: '20ms' } };
    const { body } = await partition.submit(configuration(partition.name, quotas), '?dryRun=true');
    expect(body).toMatchObject({
      changed: [
        {
          queue: 'root.a',
          waitsFor: [
            {
              for: 'freeze',
              queue: 'root.a',
              because: expect.stringMatching(/^User .+ froze root\.a until 20/),
            },
          ],
        },
      ],
    });
    expect(await partition.events('EnforcementRescheduled', 'root.a')).toEqual([]);
  });

  it('has its run by itself when the freeze ends', async () => {
    const partition = await inUse();
    await freeze(partition, '--duration', 'PT4S');
    const { window } = (await partition.event('FreezeSet')).data;
    const until = 'until' in window ? window.until : '';
    await lower(partition, 80);
    const { data } = await partition.event('EnforcementStarted', 'root.a');
    expect(Date.parse(data.startedAt)).toBeGreaterThanOrEqual(Date.parse(until));
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
  });

  it('holds the clock of the queue above, and not that of the queue beside', async () => {
    const partition = system.partition();
    const quotas = (max: number, beside: number) => ({
      a: { max: { memory: max }, delay: '20ms', queues: { x: {}, y: {} } },
      b: { max: { memory: beside }, delay: '20ms' },
    });
    await partition.configure(quotas(100, 100));
    await partition.run(
      { queue: 'root.a.x', count: 5, resources: ten },
      { queue: 'root.a.y', count: 5, resources: ten },
      { queue: 'root.b', count: 5, resources: ten },
    );
    await freeze(partition, '--queue', 'root.a.x', '--duration', 'PT1H');
    await partition.configure(quotas(80, 40));
    // The clock of the first configuration may still have been pending.
    await system.until('the clock to be frozen', async () =>
      (await partition.events('EnforcementRescheduled')).some(
        ({ key, data }) => key === 'root.a' && data.cause === 'frozen',
      ),
    );
    expect((await partition.ended('root.b')).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
    expect(await partition.remaining('root.a')).toHaveLength(10);
    await call(partition, ['unfreeze', '--queue', 'root.a.x']);
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
  });

  it('has no run approved that waits for it', async () => {
    const partition = await inUse();
    await lower(partition, 50);
    const { data } = await partition.event('EnforcementOpened', 'root.a');
    expect(data.needsApproval).toBe(true);
    await freeze(partition, '--queue', 'root.a', '--duration', 'PT1H');
    await system.until('the read model', async () => {
      const { body } = await system.request('POST', `/v1/enforcements/${data.enforcement}/approve`, {});
      return body.type === 'urn:curtail:problem:frozen';
    });
    await call(partition, ['unfreeze']);
    const { stderr, status } = await curtail(
      ['--server', system.url, '--no-color', 'approve', data.enforcement, '--yes'],
      { columns: 120 },
    );
    expect({ stderr, status }).toEqual({ stderr: expect.stringContaining('next: '), status: 0 });
    expect((await partition.ended('root.a')).data).toMatchObject({ evicted: 5 });
  });

  it('is frozen by a configuration, as its dry run says, until a configuration without the freeze', async () => {
    const partition = await inUse();
    const window = { from: '2020-01-01T00:00', duration: 'P1D', rule: 'FREQ=DAILY', reason: 'no staff' };
    const quotas = (max: number, freeze: object | null) => ({
      a: {
        max: { memory: max },
        delay: '20ms',
        ...(freeze && { properties: { 'curtail.freeze': freeze } }),
      },
      b: { max: { memory: 100 }, delay: '20ms' },
    });
    const wanted = configuration(partition.name, quotas(80, window));
    const { body: preview } = await partition.submit(wanted, '?dryRun=true');
    expect(preview).toMatchObject({
      changed: [
        {
          queue: 'root.a',
          waitsFor: [
            {
              for: 'freeze',
              because: expect.stringMatching(/^The configuration freezes root\.a until .* \(no staff\)\.$/),
            },
          ],
        },
      ],
    });
    expect(await partition.events('FreezeSet')).toEqual([]);

    await partition.configure(quotas(80, window));
    const [set] = await partition.events('FreezeSet');
    expect(set!.data).toMatchObject({ queue: 'root.a', configured: true, reason: 'no staff' });
    expect((await partition.event('EnforcementRescheduled', 'root.a')).data.cause).toBe('frozen');
    await partition.configure(quotas(80, window));
    expect(await partition.events('FreezeSet')).toHaveLength(1);
    const { freeze } = set!.data;
    const { items } = await system.get<{ items: { freeze: string; source: string }[] }>('/v1/freezes');
    expect(items.find((item) => item.freeze === freeze)).toMatchObject({ source: 'configuration' });

    const refused = await call(partition, ['unfreeze', freeze]);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('is set by the configuration');
    const all = await call(partition, ['unfreeze']);
    expect(all.stderr).toContain(`the configuration still sets 1 freeze: ${freeze}`);

    const apply = async (freeze: object | null) => {
      const stdin = JSON.stringify(configuration(partition.name, quotas(80, freeze)));
      return (await call(partition, ['apply', '-f', '-'], stdin)).stdout;
    };
    expect(await apply(window)).toMatch(/pending already: root\.a, held by a freeze until \d{4}-/);
    // Not when the freeze would have ended, although the timer has not set the clock yet.
    const clocks = system.holdClocks();
    const applied = await apply(null);
    clocks.release();
    expect(applied).toMatch(/pending already: root\.a, due (now|\d+ s late), at /);
    const [cleared] = await partition.events('FreezeCleared');
    expect(cleared!.data).toMatchObject({ freezes: [{ freeze, queue: 'root.a' }], configured: true });
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
  });

  it('is not set for a window that is none: the field, the fault and what would be right are named', async () => {
    const partition = await inUse();
    const { stderr, status } = await freeze(partition, '--until', '2026-12-01T08:00');
    expect(status).toBe(2);
    expect(stderr).toContain('until: 2026-12-01T08:00 has no time zone; write 2026-12-01T08:00Z');
    const rule = ['--from', '2026-11-27T18:00', '--duration', 'PT8H', '--rule', 'FREQ=HOURLY'];
    expect((await freeze(partition, ...rule)).stderr).toContain('rule: FREQ=HOURLY: write DAILY');
    expect(await partition.events('FreezeSet')).toEqual([]);
  });
});
