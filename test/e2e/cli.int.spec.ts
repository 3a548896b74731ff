import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReportView as Report } from '#contracts/api';
import { type Circumstances, curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import type { TestPartition } from '../support/test-partition.js';

let system: EmbeddedSystem;
let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let folder: string;
beforeAll(async () => {
  temporary = await temporaryFolder();
  folder = temporary.path;
  system = await EmbeddedSystem.start({ approveAboveVictims: 3 });
});
afterAll(async () => {
  await system.stop();
  await temporary.remove();
});

const call = (argv: string[], circumstances: Circumstances = {}) =>
  curtail(argv, { ...circumstances, env: { CURTAIL_SERVER: system.url, ...circumstances.env } });
const asTable = (argv: string[]) => call(['--no-color', ...argv], { columns: 200 });
/** The result of a call that has to be done. */
async function resultOf<T>(argv: string[], status = 0): Promise<T> {
  const called = await call([...argv, '-o', 'json']);
  if (called.status !== status)
    throw new Error(`${argv.join(' ')} ended with ${called.status}: ${called.stderr}`);
  return JSON.parse(called.stdout) as T;
}

/** A file with the queues root.a and root.b, and a delay for both. */
async function file(partition: TestPartition, maxOfA: string, delay = '60ms'): Promise<string> {
  const path = join(folder, `${partition.name}-${maxOfA}-${delay}.yaml`);
  await writeFile(
    path,
    `partitions:
  - name: ${partition.name.toUpperCase()}
    preemption: {quotapreemptionenabled: true}
    queues:
      - name: root
        properties: {quota.preemption.delay: ${delay}}
        queues:
          - name: a
            resources: {max: {memory: ${maxOfA}}}
          - name: b
            resources: {max: {memory: 500G}}
`,
  );
  return path;
}

/** Five allocations of 20 GB in root.a, whose max is 100 GB for now. */
async function withWork(delay?: string): Promise<TestPartition> {
  const partition = system.partition();
  await partition.run({ queue: 'root.a', count: 5, resources: { memory: 20e9 } });
  await resultOf(['apply', '-f', await file(partition, '100G', delay)]);
  return partition;
}

describe('report', () => {
  it('counts evictions and the work lost with them, by queue, user and cause', async () => {
    const partition = await withWork('20ms');
    await resultOf(['apply', '-f', await file(partition, '60G', '20ms')]);
    const { data: ended } = await partition.ended('root.a');
    await partition.handled();
    const [lost] = ended.lost!;
    expect(lost).toMatchObject({ victims: 2 });
    // Two allocations of 20 GB that have run for about a day.
    expect(lost!.hours.memory).toBeGreaterThan(2 * 20e9 * 23);
    expect(lost!.hours.memory).toBeLessThan(2 * 20e9 * 25);

    const of = ['--partition', partition.name];
    const report = await resultOf<Report>(['report', ...of]);
    const row = { victims: 2, runs: 1, unknown: 0 };
    expect(report).toMatchObject({ by: 'queue', total: row, items: [{ name: 'root.a', ...row }], more: 0 });
    expect(report.total.lost.memory).toBeCloseTo(lost!.hours.memory!, 3);
    expect(report.items[0]!.lost).toEqual(report.total.lost);
    const byUser = await resultOf<Report>(['report', '--by', 'user', ...of]);
    expect(byUser.items.map(({ name }) => name)).toEqual([lost!.owner]);
    const byCause = await resultOf<Report>(['report', '--by', 'cause', ...of]);
    expect(byCause.items.map(({ name }) => name)).toEqual(['quota-decrease']);
    expect(await resultOf<Report>(['report', '--until', '1h', ...of])).toMatchObject({
      total: { victims: 0, runs: 0, lost: {} },
      items: [],
    });

    const table = await asTable(['report', ...of]);
    expect(table.stdout).toMatch(/2 allocations evicted by 1 run in partition .*; work lost: .* GB·h/s);
    expect(table.stdout).toMatch(/^root\.a +2 +1 +\S+ GB·h/m);
    const csv = await asTable(['report', '--csv', ...of]);
    expect(csv.stdout).toMatch(
      /^queue,victims,runs,victims of unknown loss,memory hours\r\nroot\.a,2,1,0,\d/,
    );
    const svg = await asTable(['report', '--svg', ...of]);
    expect(svg.stdout).toMatch(/^<svg .*<rect [^>]*width="[1-9]/s);
    const other = await asTable(['report', '--svg', '--resource', 'gpu', ...of]);
    expect(other.stderr).toContain('no gpu was lost in this period: --resource may be memory');
  });
});

describe('answer', () => {
  it('extends the time of a victim, says that its work is saved, and that it may go', async () => {
    const partition = await withWork('20ms');
    const of = ['--partition', partition.name];
    // Four victims need approval.
    await resultOf(['apply', '-f', await file(partition, '20G', '20ms')]);
    await partition.event('EnforcementOpened', 'root.a');
    const refused = await asTable(['answer', 'extend', 'a-5', ...of]);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('Queue root.a allows no extensions: the setting extensions is 0.');
    await asTable(['settings', 'root', '--set', 'extensions=1', ...of]);
    const extend = ['answer', 'extend', 'a-5', '--id', 'once', ...of];
    const extended = await asTable(extend);
    expect(extended).toMatchObject({ status: 0, stdout: expect.stringContaining('a-5') });
    expect(extended.stderr).toContain(
      `next: save the work, then: curtail answer checkpointed a-5 ${of.join(' ')}`,
    );
    expect((await asTable(extend)).stdout).toContain('(answered before; nothing changed)');
    const checkpointed = await asTable(['answer', 'checkpointed', 'a-5', '--at', '2m', ...of]);
    expect(checkpointed.stderr).toContain(
      `next: if it may be evicted now: curtail answer ready a-5 ${of.join(' ')}`,
    );
    const misplaced = await asTable(['answer', 'ready', 'a-5', '--at', '2m', ...of]);
    expect(misplaced).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--at is the time of a checkpoint'),
    });
    expect((await asTable(['answer', 'ready', 'a-5', ...of])).stderr).toContain('next: watch the run: ');
    const answers = (await partition.events('OwnerAnswered')).map(({ data: { answer, by } }) => ({
      answer,
      by,
    }));
    expect(answers.map(({ answer }) => answer)).toEqual(['extend', 'checkpointed', 'ready']);
    expect(new Set(answers.map(({ by }) => by)).size).toBe(1);
  });
});

describe('settings', () => {
  it('are shown with where they come from, overridden and cleared', async () => {
    const partition = await withWork('1h');
    const of = ['--partition', partition.name];
    const shown = await asTable(['settings', 'queue/root.A', ...of]);
    expect(shown.stdout).toMatch(/victimsPerSecond +1000 +environment +- /);

    const set = [
      '--set',
      'victimsPerSecond=5',
      '--set',
      'protect={"users":["ann"]}',
      '--reason',
      'incident 17',
    ];
    const changed = await asTable(['settings', 'root', ...set, ...of]);
    expect(changed.stdout).toMatch(/victimsPerSecond +1000 \(environment\) +5 \(override of root\)/);
    expect(changed.stdout).toMatch(/protect +false \(default\) +\{"users":\["ann"\]\} \(override of root\)/);
    expect(changed.stderr).toContain(
      `next: let the configuration decide again: curtail settings --partition ${partition.name} --clear victimsPerSecond --clear protect`,
    );

    const ofQueue = await asTable(['settings', 'root.a', ...of]);
    expect(ofQueue.stdout).toMatch(
      /victimsPerSecond +5 +override +root +\S+ +(.* ago|just now) +incident 17/,
    );
    expect(ofQueue.stdout).toMatch(/OVERRIDES OF OTHER QUEUES\n.*\nroot +protect/);

    const same = await asTable(['settings', ...set, ...of]);
    expect(same.stderr).toContain('nothing was changed');
    const stale = await asTable(['settings', '--clear', 'protect', '--if-version', '9', ...of]);
    expect(stale.status).toBe(2);
    expect(stale.stderr).toContain('at version 1, not 9');
    const cleared = await resultOf<{ version: number; overrides: unknown[] }>([
      ...['settings', '--clear', 'protect', '--clear', 'victimsPerSecond'],
      ...of,
    ]);
    expect(cleared).toMatchObject({ version: 2, overrides: [] });
    const events = await resultOf<{ items: object[] }>(['get', 'events', '--type', 'SettingsChanged', ...of]);
    expect(events.items).toHaveLength(2);
  });

  it('are refused with the name and what is right', async () => {
    const partition = await withWork('1h');
    const failed = async (...words: string[]) => {
      const { status, stderr } = await asTable(['settings', ...words, '--partition', partition.name]);
      expect(status).toBe(2);
      return stderr;
    };
    expect(await failed('--set', 'victimsPerSecond=0')).toMatch(/--set victimsPerSecond=…: .*1/);
    expect(await failed('--set', 'speed=1')).toMatch(/--set speed=…: is unknown/);
    expect(await failed('--set', 'miss')).toContain('Write a name and a value');
    expect(await failed('--set', 'miss=1', '--clear', 'miss')).toContain('miss is both set and cleared');
    expect(await failed('--reason', 'x')).toContain('add --set NAME=VALUE or --clear NAME');
    expect(await failed('root.nosuch', '--set', 'miss=1')).toContain('root.nosuch');
  });
});

describe('a quota that is lowered by hand', () => {
  it('is previewed with its victims, applied, watched and explained', async () => {
    const partition = await withWork();
    await partition.event('EnforcementCancelled', 'root.a');
    const lowered = await file(partition, '50G');

    const preview = await asTable(['apply', '-f', lowered, '--dry-run']);
    expect(preview.status).toBe(1);
    expect(preview.stdout).toContain(
      `partition ${partition.name}: 1 quota would change, 3 allocations would be evicted`,
    );
    expect(preview.stdout).toMatch(/root\.a +max +100 GB +50 GB +lower +starts or restarts: max goes down/);
    expect(preview.stdout).toMatch(/1 +a-5 +a +20 GB +Number 1 of 5, .*\(rule \d\)/);
    expect(preview.stderr).toContain(`next: put it in force: curtail apply -f ${lowered}`);
    const of = ['--partition', partition.name];
    const compared = await asTable(['what-if', '--queue', 'root.a', '--max', 'memory=50G', ...of]);
    expect(compared.status).toBe(1);
    expect(compared.stdout).toMatch(/BY QUEUE\n.*\nroot\.a +3 +60 GB +1\.\d+ TB·h/);
    expect(compared.stdout).toContain('LOWEST QUOTA WITHOUT VICTIMS\nroot.a  memory=100G');
    expect(await partition.remaining()).toHaveLength(5);

    const applied = await asTable(['apply', '-f', lowered]);
    expect(applied).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/root\.a +max +100 GB +50 GB +lower +due /),
      stderr: expect.stringContaining(
        `next: watch the delay run: curtail get timers --partition ${partition.name} --watch`,
      ),
    });

    const { data } = await partition.ended('root.a');
    await system.until('the run in the list', async () => {
      const { items } = await resultOf<{ items: { outcome: string }[] }>(['get', 'enforcements', ...of]);
      return items[0]?.outcome === 'satisfied';
    });
    const { stdout } = await asTable(['explain', 'enforcement', data.enforcement]);
    expect(stdout).toContain(
      `enforcement ${data.enforcement} of root.a, partition ${partition.name}: satisfied`,
    );
    expect(stdout).toContain('50 GB had to be freed; 3 victims hold 60 GB');
    expect(stdout).toMatch(/a-5 +a +20 GB +evicted +Number 1 of 5/);
    expect(stdout).toMatch(/SPARED\n.*\n +2 +was not needed: enough others came before it +a-1, a-2/);

    expect((await asTable(['explain', 'allocation', 'a-5', ...of])).stdout).toContain('victim 1, evicted');
    expect((await asTable(['explain', 'allocation', 'a-1', ...of])).stdout).toContain('was not needed');
    expect((await asTable(['explain', 'queue', 'root.A', ...of])).stdout).toMatch(
      /EnforcementStarted +run e-/,
    );
    expect((await asTable(['get', 'plans', data.enforcement])).stdout).toContain(
      'root.a: satisfied, 3 victims',
    );
    expect((await resultOf<{ items: object[] }>(['get', 'plans', ...of])).items).toMatchObject([
      {
        enforcement: data.enforcement,
        queue: 'root.a',
        outcome: 'satisfied',
        victims: 3,
        target: { memory: 50e9 },
      },
    ]);
  });

  it('states when each clock is due, and which are called off', async () => {
    const partition = await withWork('1h');
    const first = await resultOf<{ clocks: { queue: string; dueAt: string }[]; appliedAt: string }>([
      'apply',
      '-f',
      await file(partition, '90G', '1h'),
    ]);
    expect(first.clocks).toMatchObject([{ queue: 'root.a', event: 'EnforcementRescheduled' }]);
    expect(Date.parse(first.clocks[0]?.dueAt ?? '') - Date.parse(first.appliedAt)).toBe(3_600_000);
    const raised = await asTable(['apply', '-f', await file(partition, '95G', '1h')]);
    expect(raised.stdout).toMatch(/root\.a +max +90 GB +95 GB +raise +clock ends: quota raised/);
    const { stdout } = await asTable(['get', 'timers', '--partition', partition.name]);
    expect(stdout).toMatch(/root\.b +in (1 h|59 min \d+ s) /);
    expect(stdout).not.toContain('root.a');
  });

  it('is counted down line by line until Ctrl-C', async () => {
    const partition = await withWork('1h');
    const interrupt = new AbortController();
    const { status, stdout } = await call(['get', 'timers', '--watch', '--partition', partition.name], {
      interrupted: interrupt.signal,
      onOutput: () => interrupt.abort(),
    });
    expect(status).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).queue),
    ).toEqual(['root.a', 'root.b']);
  });
});

describe('an operator', () => {
  const runOf = async (partition: TestPartition, state: string) =>
    system.until(`a run that is ${state}`, async () => {
      const { items } = await resultOf<{ items: { enforcement: string; queue: string; state: string }[] }>([
        'get',
        'enforcements',
        '--queue',
        'root.a',
        '--partition',
        partition.name,
      ]);
      return items.find((item) => item.state === state)?.enforcement;
    });
  /** A run that wants more victims than go without approval. */
  const waiting = async (partition: TestPartition) => {
    await partition.event('EnforcementCancelled', 'root.a');
    await resultOf(['apply', '-f', await file(partition, '15G')]);
    return runOf(partition, 'waiting for approval');
  };

  it('lets a large run continue', async () => {
    const partition = await withWork();
    const { stdout, status } = await asTable(['approve', await waiting(partition), '--yes']);
    expect(status).toBe(0);
    expect(stdout).toContain('was approved and continues');
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 5 });
  });

  it('rejects a large run', async () => {
    const partition = await withWork();
    const enforcement = await waiting(partition);
    expect((await asTable(['reject', enforcement, '--reason', 'too many'])).status).toBe(0);
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'rejected', evicted: 0 });
    await system.until('the end in the read model', async () => {
      const { state } = await system.get<{ state: string }>(`/v1/enforcements/${enforcement}`);
      return state === 'ended';
    });
    const again = await call(['approve', enforcement]);
    expect(again.status).toBe(2);
    expect(again.stderr).toMatch(/^error: Run \S+ of root\.a has ended .*\nnext: Check its state/);
  });

  it('cancels a run that is not due yet', async () => {
    const partition = await withWork('1h');
    const { stdout, status } = await asTable(['cancel', await runOf(partition, 'scheduled')]);
    expect(status).toBe(0);
    expect(stdout).toContain('was cancelled (it was scheduled)');
    await partition.event('EnforcementCancelled', 'root.a');
  });

  it('stops evictions, sees it, and lets them continue', async () => {
    const partition = await withWork('1h');
    const of = ['--partition', partition.name];
    expect((await asTable(['stop', ...of, '--queue', 'root.a', '--reason', 'wrong'])).stdout).toContain(
      'evictions in root.a and below',
    );
    expect((await asTable(['get', 'queues', ...of])).stdout).toMatch(/root\.a .* stopped/);
    expect((await asTable(['resume', ...of])).stdout).toContain('1 stop was cleared');
    expect((await asTable(['resume', ...of])).stdout).toContain('nothing was stopped');
    const { items } = await resultOf<{ items: { name: string; data: object }[] }>(['get', 'events', ...of]);
    expect(items.find(({ name }) => name === 'KillSwitchSet')?.data).toMatchObject({ reason: 'wrong' });
  });

  it('only observes a partition', async () => {
    const partition = await withWork();
    await partition.event('EnforcementCancelled', 'root.a');
    expect((await call(['mode', 'observe', '--partition', partition.name])).status).toBe(0);
    await resultOf(['apply', '-f', await file(partition, '50G')]);
    const { data } = await partition.ended('root.a');
    expect(data.outcome).toBe('observed');
    await partition.handled();
    const { stdout } = await asTable(['explain', 'enforcement', data.enforcement]);
    expect(stdout).toContain('only observed: nothing was evicted');
  });
});

describe('the simulated cluster', () => {
  it('is filled with quotas that can be put in force, and emptied', async () => {
    const partition = system.partition();
    await partition.configure({ a: { max: { memory: 100 }, delay: '0s' } });
    const of = ['--partition', partition.name];
    const out = join(folder, 'load.yaml');
    const load = ['simulate', 'load', ...of, '--queues', '3', '--allocations', '60', '--config-out', out];
    expect((await asTable(load)).stdout).toContain(
      'loaded under root.load: 3 queues, 3 applications, 60 allocations',
    );
    expect(await resultOf(['apply', '-f', out])).toMatchObject({ queues: 6 });
    const queues = await resultOf<{ items: { queue: string; usage: Amounts; max: Amounts | null }[] }>([
      ...['get', 'queues', ...of, '--queue', 'root.load'],
    ]);
    const leaves = queues.items.filter(({ queue }) => queue !== 'root.load');
    expect(leaves).toHaveLength(3);
    for (const { usage, max } of leaves) expect(max?.memory).toBeGreaterThan(usage.memory ?? Number.NaN);

    const again = await call(load);
    expect(again.stderr).toContain('exists already');
    expect((await call(load.slice(0, -2))).stderr).toContain('under: root.load already has');
    expect(await resultOf([...load, '--replace'])).toMatchObject({ allocations: 60 });
    expect(await readFile(out, 'utf8')).toContain('name: load');
    expect(await resultOf(['simulate', 'clear', ...of])).toEqual({ applications: 3, allocations: 60 });
  });
});

interface Amounts {
  memory?: number;
}

describe('replay', () => {
  it('makes every plan again, the same', async () => {
    const { plans, same } = await resultOf<{ plans: number; same: number }>(['replay', '--into', 'digest']);
    expect(plans).toBeGreaterThan(0);
    expect(same).toBe(plans);
  });

  it('builds again what is shown, and it is the same', async () => {
    const before = await resultOf(['get', 'enforcements']);
    expect(await resultOf(['replay', '--into', 'projections'])).toMatchObject({ unreadable: { count: 0 } });
    expect(await resultOf(['get', 'enforcements'])).toEqual(before);
    expect(await resultOf(['get', 'replays'])).toMatchObject({
      items: [
        { into: 'projections', state: 'done' },
        { into: 'digest', state: 'done' },
      ],
    });
  });

  it('states what other settings would have made of it', async () => {
    const found = await resultOf<{ plans: number; same: number; differ: number }>([
      ...['replay', '--into', 'shadow', '--set', 'fit=within'],
    ]);
    expect(found.same + found.differ).toBe(found.plans);
  });

  it('has no Kafka to put anything on', async () => {
    const { status, stderr } = await call(['republish', '--topic', 'curtail.plans']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: This Curtail has no Kafka[\s\S]*next: Set KAFKA_BROKERS/);
  });
});

describe('start', () => {
  it('lists every setting', async () => {
    const { status, stdout } = await curtail(['start', '--help']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/CURTAIL_GRACE_SECONDS +Grace period of an evicted allocation/);
    expect(stdout).toContain('CURTAIL_SETTINGS');
  });

  it.each([
    [['--port', '99999'], '--port = "99999" is too large: expected'],
    [['--host', '0.0.0.0'], 'CURTAIL_TOKEN is not set, but CURTAIL_HOST = "0.0.0.0"'],
    [['--settings', '/nowhere/at-all'], 'The settings file "/nowhere/at-all" cannot be read'],
  ])('%j is refused', async (options, message) => {
    const { status, stderr } = await curtail(['start', ...options]);
    expect(status).toBe(2);
    expect(stderr).toContain(`error: One setting is missing or wrong\n  ${message}`);
  });

  it('names who has its port, and leaves nothing running', async () => {
    const program = fileURLToPath(new URL('../../dist/apps/curtail/src/main.js', import.meta.url));
    const { port } = new URL(system.url);
    const child = spawn(
      process.execPath,
      [program, 'start', '--port', port, '--data', join(folder, 'data')],
      {
        env: { PATH: process.env.PATH },
      },
    );
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    child.stdout.resume();
    expect(await once(child, 'close')).toEqual([2, null]);
    expect(stderr).toContain(`--port ${port} of 127.0.0.1 is taken: stop what listens there`);
  });
});
