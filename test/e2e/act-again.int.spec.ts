import type { QueueRunPreview } from '@curtail/contracts/api';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { curtail } from '../../apps/curtail/src/cli/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
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
  await system.until('the read model', async () => {
    return (await system.request('POST', `/v1/enforcements/${data.enforcement}/cancel`, {})).status === 200;
  });
  await partition.event('EnforcementCancelled', 'root.a');
  return partition;
}

describe('a queue whose run was cancelled', () => {
  it('shows what a run would evict now, and changes nothing by that', async () => {
    const partition = await cancelled();
    const before = (await partition.log()).length;
    const { stdout, stderr, status } = await call(partition, ['plan', '--queue', 'root.a']);
    expect(status).toBe(1);
    expect(stdout).toContain('No clock of root.a runs. A run now would evict this:');
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
    expect(stdout).toContain('a run of root.a is requested at once: 20 B are used above its quota');
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

  it('still waits for approval of a large run', async () => {
    const partition = await cancelled('1h', 10);
    const { stdout } = await call(partition, ['plan', '--queue', 'root.a']);
    expect(stdout).toMatch(/^It waits: .*approv/m);
    await call(partition, ['enforce', 'root.a', '--now', '--yes']);
    await partition.event('ExecutionOpened', 'root.a');
    expect(await partition.remaining('root.a')).toHaveLength(10);
  });

  it('is approved by an operator who has seen what the run would do now', async () => {
    const partition = await cancelled('1h', 10);
    await call(partition, ['enforce', 'root.a', '--now', '--yes']);
    const { data } = await partition.event('ExecutionOpened', 'root.a');
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
    const { data } = await partition.event('ExecutionOpened', 'root.a');
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
    expect(await refused(partition, 'root.a')).toContain('It is within its quota.');
    expect(await refused(partition, 'root.b')).toContain('Its delay is 0');
    expect(await refused(partition, 'root.c')).toContain('has no queue root.c');
  });

  it('for a stopped queue, and names who stopped it', async () => {
    const partition = await cancelled();
    await system.request('POST', '/v1/kill-switch', { partition: partition.name, by: 'ada' });
    expect(await refused(partition, 'root.a')).toContain('User ada stopped evictions in the partition.');
  });
});
