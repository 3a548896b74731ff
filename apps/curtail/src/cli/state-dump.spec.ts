import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { curtail } from '../../testing/test-terminal.js';

const folderOfDumps = 'test/clusters/yunikorn';
const recorded = `${folderOfDumps}/whole-state-dump.json`;
/** Recorded, and cut: its lists have less than its sums say. */
const cut = `${folderOfDumps}/state-dump.json`;
const whole = readFileSync(recorded, 'utf8');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'curtail-dump-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}
async function planned(text: string, ...more: string[]) {
  return curtail(['plan', '--statedump', await file('dump.json', text), '--queue', 'root.prod', ...more]);
}
/** The dump with the max of root.prod lowered to this many millicores, and nothing guaranteed. */
function lowered(vcore: number): string {
  const dump = JSON.parse(whole);
  const [prod] = dump.queues[0].children;
  prod.maxResource = { vcore };
  delete prod.guaranteedResource;
  return JSON.stringify(dump);
}

const idsOf = (stdout: string) =>
  JSON.parse(stdout).victims.map(({ allocation }: { allocation: string }) => allocation);

describe('curtail plan --statedump --queue', () => {
  it('plans what a queue is above its max', async () => {
    const { status, stdout } = await planned(lowered(12_000), '-o', 'json');
    expect(status).toBe(1);
    const plan = JSON.parse(stdout);
    expect(plan).toMatchObject({ queue: 'root.prod', target: { vcore: 6000 } });
    // The originators stay.
    expect(idsOf(stdout)).toEqual(['batch/spark-2', 'batch/spark-3']);
  });

  it('finds nothing to do in the recorded cluster', async () => {
    const { status, stdout } = await planned(whole, '-o', 'json');
    expect({ status, victims: idsOf(stdout) }).toEqual({ status: 0, victims: [] });
  });

  it('names what is missing of a dump that is cut off', async () => {
    const { status, stderr } = await planned(whole.slice(0, whole.indexOf('"nodes"') + 100));
    expect(status).toBe(2);
    expect(stderr).toContain('not JSON');
    expect(stderr).toContain('of a whole state dump it lacks nodes, queues');
  });

  it.each([
    ['what is no dump', () => '{"queues":[]}', 'it lacks timestamp, partitions, applications, nodes'],
    [
      'a dump right after the start',
      () => JSON.stringify({ ...JSON.parse(whole), partitions: [] }),
      'take it again',
    ],
    [
      'a list that somebody has shortened',
      () => {
        const dump = JSON.parse(whole);
        dump.applications[1].allocations.splice(2, 2, '... 2 more left out');
        return JSON.stringify(dump);
      },
      'applications[1].allocations[2]: an object is expected here, not "... 2 more left out"',
    ],
    [
      'an amount that is none',
      () => whole.replace('"vcore": 3000', '"vcore": -3000'),
      'a whole amount, at least 0, is expected here, not -3000',
    ],
  ])('refuses %s', async (_, text, expected) => {
    const { status, stderr } = await planned(text());
    expect(status).toBe(2);
    expect(stderr).toContain(expected);
  });

  it('refuses a partition and a queue that are not there, with the one that may be meant', async () => {
    const { stderr } = await planned(whole, '--partition', 'gpu');
    expect(stderr).toContain('there is no partition gpu: it has default');
    const misspelt = await curtail(['plan', '--statedump', recorded, '--queue', 'root.prodd']);
    expect(misspelt).toMatchObject({
      status: 2,
      stderr: `error: there is no queue root.prodd in ${recorded}; did you mean root.prod?\n`,
    });
    const other = await curtail(['plan', '--statedump', recorded, '--queue', 'root.somewhere']);
    expect(other.stderr).toContain('; it has root, root.prod, root.dev\n');
    expect((await curtail(['plan', '--input', recorded, '--queue', 'root.a'])).stderr).toContain(
      '--queue goes with --statedump',
    );
  });
});

describe('a state dump whose allocations do not add up to what its queues have', () => {
  it.each([
    ['plan --queue', ['plan', '--queue', 'root.prod']],
    ['plan --max', ['plan', '--max', 'root.prod', 'vcore=12']],
    ['what-if', ['what-if', '--queue', 'root.prod', '--max', 'vcore=12']],
  ])('is refused by %s, with each difference', async (_, words) => {
    const { status, stderr } = await curtail([...words, '--statedump', cut]);
    expect(status).toBe(2);
    expect(stderr).toContain(
      '  root.prod has 28 GiB, 18 vcore, 7 pods allocated, and lists allocations with 8 GiB, 6 vcore, 2 pods\n',
    );
    expect(stderr).toContain(
      '  root.dev has 10 GiB, 10 vcore, 5 pods allocated, and lists allocations with 4 GiB, 4 vcore, 2 pods\n',
    );
    // What its children explain is not said of the queue above.
    expect(stderr).not.toContain('  root has');
    expect(stderr).toContain('add --allow-difference');
  });

  it('is planned by what its queues have if that is allowed, and the differences are named', async () => {
    const quotas = ['--max', 'root.prod', 'vcore=12', '--max', 'root.dev', 'vcore=8'];
    const words = [...quotas, '--allow-difference', '-o', 'json'];
    const { status, stdout, stderr } = await curtail(['plan', '--statedump', cut, ...words]);
    expect(status).toBe(1);
    expect(stderr).toContain('warning: root.prod has 28 GiB, 18 vcore, 7 pods allocated, and lists');
    // 6 vcore of 18 have to go, although no more than 6 are listed.
    const change = JSON.parse(stdout);
    expect(change).toMatchObject({
      runs: [
        { queue: 'root.dev', plan: { target: { vcore: 2000 } } },
        { queue: 'root.prod', plan: { target: { vcore: 6000 } } },
      ],
      differences: [
        { queue: 'root.prod', allocated: { vcore: 18_000 }, listed: { vcore: 6000 } },
        { queue: 'root.dev', allocated: { vcore: 10_000 }, listed: { vcore: 4000 } },
      ],
    });
    // Work that the dump does not list is never a victim.
    expect(idsOf(stdout)).toEqual(['batch/nb-6', 'batch/spark-4', 'batch/spark-1']);
  });

  it('names a queue above only where its own sum differs', async () => {
    const dump = JSON.parse(whole);
    dump.queues[0].allocatedResource.vcore += 1000;
    const path = await file('above.json', JSON.stringify(dump));
    const { stderr } = await curtail(['plan', '--statedump', path]);
    expect(stderr.match(/^ {2}.*/gm)).toEqual([
      '  root has 29 vcore allocated, and lists allocations with 28 vcore',
    ]);
  });
});

const switchOn = '    preemption: {quotapreemptionenabled: true}\n';
const delayed = 'properties: {quota.preemption.delay: 10m}';
const configuration = (of: { preemption?: string; prod?: string; dev?: string } = {}) => {
  const { preemption = switchOn, prod = delayed, dev = delayed } = of;
  return `partitions:\n  - name: default\n${preemption}    queues:
      - name: root
        queues:
          - name: prod
            resources: {max: {memory: 64Gi, vcore: "12"}, guaranteed: {vcore: "3"}}
            ${prod}
          - name: dev
            resources: {max: {memory: 24Gi, vcore: "6"}}
            ${dev}\n`;
};
const plan = async (text: string, ...more: string[]) =>
  curtail(['plan', '--statedump', recorded, '-f', await file('queues.yaml', text), ...more]);

describe('curtail plan --statedump -f', () => {
  it('plans every queue that the configuration brings below what it uses', async () => {
    const { status, stdout, stderr } = await plan(configuration(), '-o', 'json');
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    const change = JSON.parse(stdout);
    expect(change).toMatchObject({
      ...{ partition: 'default', at: '2026-11-21T13:11:49.915Z', outcome: 'satisfied', warnings: [] },
      runs: [
        { queue: 'root.dev', dueAt: '2026-11-21T13:21:49.915Z', plan: { target: { vcore: 4000 } } },
        { queue: 'root.prod', plan: { target: { vcore: 6000 } } },
      ],
    });
    expect(idsOf(stdout)).toEqual(['batch/nb-3', 'batch/nb-4', 'batch/spark-2', 'batch/spark-3']);
    expect(change).not.toHaveProperty('differences');
  });

  it('shows the changes, the runs and the reasons, as apply --dry-run does', async () => {
    const { stdout } = await plan(configuration(), '-o', 'table');
    expect(stdout).toContain(
      '2 quotas, 2 delays and guaranteed amounts of 1 queue would change, 4 allocations would be evicted',
    );
    expect(stdout).toMatch(/root\.dev +new +in 10 min +2/);
    expect(stdout).toMatch(/batch\/spark-2[\s\S]*Number 1 of 7, task of priority 0/);
    const { stdout: names } = await plan(configuration(), '-o', 'name');
    expect(names.split('\n')).toContain('allocation/batch/spark-2');
  });

  it('plans a queue that stays above a max that does not change, or is raised', async () => {
    const dump = JSON.parse(lowered(12_000));
    dump.queues[0].children[0].quotaPreemptionDelay = '10m0s';
    const path = await file('above.json', JSON.stringify(dump));
    for (const vcore of ['12', '13']) {
      const text = configuration().replaceAll('vcore: "12"', `vcore: "${vcore}"`);
      const next = await file('queues.yaml', text.replace('vcore: "6"', 'vcore: "10"'));
      const { status, stdout } = await curtail(['plan', '--statedump', path, '-f', next, '-o', 'json']);
      expect([vcore, status, idsOf(stdout)]).toEqual([vcore, 1, ['batch/spark-2', 'batch/spark-3']]);
    }
  });

  it('explains why other work is spared', async () => {
    const { stdout } = await plan(configuration(), '--explain', '-o', 'json');
    const [, prod] = JSON.parse(stdout).runs;
    expect(prod.plan.spared).toContainEqual(expect.objectContaining({ allocation: 'batch/train-1' }));
  });

  it('says that nothing will be enforced without a delay, and tries one', async () => {
    const without = configuration({ prod: '', dev: '' });
    const { status, stdout, stderr } = await plan(without, '-o', 'json');
    expect({ status, victims: idsOf(stdout) }).toEqual({ status: 0, victims: [] });
    expect(JSON.parse(stdout).warnings).toMatchObject([{ code: 'nothing-enforced' }]);
    expect(stderr).toMatch(/warning: \S+:2:11: .*nothing will be enforced, because no queue with a max has/);
    expect(stderr).toContain('add --delay 10m');
    const tried = await plan(without, '--delay', '10m', '-o', 'json');
    expect({ status: tried.status, victims: idsOf(tried.stdout) }).toEqual({
      ...{ status: 1, victims: ['batch/nb-3', 'batch/nb-4', 'batch/spark-2', 'batch/spark-3'] },
    });
    expect(tried.stderr).toContain('assumed: a delay of 10 min for queues that have none');
    const part = await plan(configuration({ dev: '' }), '-o', 'json');
    expect(idsOf(part.stdout)).toEqual(['batch/spark-2', 'batch/spark-3']);
    expect(part.stderr).toContain('root.dev: nothing will be enforced, because its delay is 0');
  });

  it('says that nothing will be enforced without the switch, but for an agent, and shows its victims', async () => {
    for (const preemption of ['', '    preemption: {quotapreemptionenabled: false}\n']) {
      const { status, stdout, stderr } = await plan(configuration({ preemption }), '-o', 'json');
      expect(status).toBe(1);
      expect(idsOf(stdout)).toHaveLength(4);
      expect(stderr).toContain(
        'nothing will be enforced, because preemption.quotapreemptionenabled is not true',
      );
      expect(stderr).toContain('assumed: an agent that takes the configuration from YuniKorn');
    }
  });

  it('fails where a queue that has to come down cannot be planned', async () => {
    const dump = JSON.parse(whole);
    // Two allocations with one id, which no plan can tell apart.
    dump.applications[1].allocations[0].allocationKey = dump.applications[1].allocations[1].allocationKey;
    for (const one of dump.applications[1].allocations.slice(0, 2)) delete one.allocationTags;
    const path = await file('twice.json', JSON.stringify(dump));
    const next = await file('queues.yaml', configuration());
    const { status, stdout } = await curtail(['plan', '--statedump', path, '-f', next, '-o', 'json']);
    expect(status).toBe(2);
    expect(JSON.parse(stdout).runs).toContainEqual(
      expect.objectContaining({ queue: 'root.prod', planFault: expect.any(String) }),
    );
  });

  it('refuses a wrong configuration, another partition, and more than one', async () => {
    const wrong = await plan(configuration().replace('queues:', 'qeues:'));
    expect(wrong).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^error: \S+queues\.yaml:4:5: /m),
    });
    const other = await plan(configuration().replace('name: default', 'name: gpu'));
    expect(other.stderr).toContain('has no partition default; it has gpu');
    const second = await plan(configuration(), '-f', 'other.yaml');
    expect(second.stderr).toContain('plan takes one configuration; compare several with curtail what-if');
    expect((await curtail(['plan', '--input', 'x.json', '-f', 'x.yaml'])).stderr).toContain(
      '-f goes with --statedump',
    );
  });
});

describe('curtail plan --statedump --max', () => {
  const tried = (...words: string[]) => curtail(['plan', '--statedump', recorded, ...words, '-o', 'json']);

  it('plans the quotas of several queues, as if they had a delay', async () => {
    const { status, stdout, stderr } = await tried(
      '--max',
      'root.prod',
      'vcore=12',
      '--max',
      'root.dev',
      'vcore=8',
    );
    expect(status).toBe(1);
    expect(idsOf(stdout)).toEqual(['batch/nb-3', 'batch/spark-2', 'batch/spark-3']);
    expect(stderr).toContain('root.prod: nothing will be enforced, because its delay is 0');
    expect(stderr).toContain('assumed: a delay for the queues of --max, which have none');
    const [dev] = JSON.parse(stdout).runs;
    expect(dev).not.toHaveProperty('dueAt');
    const due = await tried('--max', 'root.prod vcore=12', '--delay', '1h');
    expect(JSON.parse(due.stdout)).toMatchObject({
      runs: [{ dueAt: '2026-11-21T14:11:49.915Z' }],
      warnings: [],
    });
    const own = await tried('--queue', 'root.prod', '--max', 'vcore=12');
    expect(idsOf(own.stdout)).toEqual(['batch/spark-2', 'batch/spark-3']);
  });

  it.each([
    [['root.prd', 'vcore=1'], 'there is no queue root.prd in'],
    [
      ['root.prod', 'vcor=1'],
      '--max vcor=…: no allocation, node or quota of the partition has the type vcor; did you mean vcore?',
    ],
    [['root.prod', 'vcore=1'], '--max vcore=…: 1 is below the guaranteed amount of root.prod, 10'],
    [['root.prod', 'vcore=x'], '--max vcore=…: '],
    [['vcore=1'], '--max vcore=1 names no queue'],
    [['root.prod'], '--max root.prod has no limit'],
    [['root.prod', 'vcore='], '--max vcore= is not a limit'],
    [['root.prod', 'vcore=11', 'vcore=12'], '--max names vcore twice'],
  ])('refuses %j', async (words, expected) => {
    const { status, stderr } = await tried('--max', ...words);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(expected) });
  });

  it('plans all queues that are above their max in the dump where nothing else is tried', async () => {
    const path = await file('above.json', lowered(12_000));
    const { status, stdout } = await curtail(['plan', '--statedump', path, '-o', 'json']);
    expect({ status, victims: idsOf(stdout) }).toEqual({
      status: 1,
      victims: ['batch/spark-2', 'batch/spark-3'],
    });
  });
});

describe('curtail what-if --statedump', () => {
  it('compares configurations and quotas as with a server', async () => {
    const [a, b] = [await file('a.yaml', configuration()), await file('b.yaml', configuration({ dev: '' }))];
    const words = ['what-if', '--statedump', recorded];
    const { status, stdout } = await curtail([...words, '-f', a, '-f', b, '-o', 'json']);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ partition: 'default', at: '2026-11-21T13:11:49.915Z', mode: 'enforce' },
      alternatives: [
        {
          ...{ name: a, victims: 4, changedQuotas: 2, firstDueAt: '2026-11-21T13:21:49.915Z' },
          byQueue: {
            items: [
              { name: 'root.dev', victims: 2 },
              { name: 'root.prod', victims: 2 },
            ],
          },
          lowest: [
            { queue: 'root.prod', text: { vcore: '18' } },
            { queue: 'root.dev', text: { vcore: '10' } },
          ],
        },
        { name: b, victims: 2, warnings: [{ code: 'nothing-enforced', path: 'root.dev' }] },
      ],
    });
    const quota = await curtail([...words, '--queue', 'root.prod', '--max', 'vcore=12', '-o', 'table']);
    expect(quota.status).toBe(1);
    expect(quota.stdout).toMatch(/root\.prod vcore=12 +1 +2 /);
    const raised = await curtail([...words, '--queue', 'root.prod', '--max', 'vcore=20', '-o', 'table']);
    expect(raised.status).toBe(0);
  });

  it('compares the others where a file is refused, which the answer contains with its errors', async () => {
    const [a, b] = [await file('a.yaml', configuration()), await file('b.yaml', 'partitions: 3')];
    const words = ['what-if', '--statedump', recorded, b, a];
    const { status, stdout, stderr } = await curtail([...words, '-o', 'table']);
    expect(status).toBe(2);
    expect(stdout).toMatch(/b\.yaml +- +refused: 1 error/);
    expect(stdout).toMatch(/a\.yaml +2 +4 /);
    expect(stderr.match(/b\.yaml/g)).toHaveLength(1);
    expect((await curtail(['what-if', '--statedump', recorded, b])).stdout).toBe('');
  });

  it('does not say that nothing is enforced where a delay is tried', async () => {
    const b = await file('b.yaml', configuration({ dev: '' }));
    const { stderr } = await curtail(['what-if', '--statedump', recorded, b, '--delay', '1m']);
    expect(stderr).toContain('assumed: a delay of 1 min');
    expect(stderr).not.toContain('nothing will be enforced');
  });
});
