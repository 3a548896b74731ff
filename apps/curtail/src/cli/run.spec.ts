import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { curtail } from '../../testing/test-terminal.js';

let folder: string;
const file = async (name: string, content: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'curtail-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const snapshot = {
  apiVersion: 'curtail/v1',
  kind: 'ClusterSnapshot',
  takenAt: '2026-11-21T10:00:00.000Z',
  partition: 'default',
  queues: [{ path: 'root' }, { path: 'root.a', max: { memory: 50e9 } }],
  applications: [{ id: 'app1', queue: 'root.a' }],
  allocations: [1, 2, 3].map((number) => ({
    id: `alloc-${number}`,
    application: 'app1',
    queue: 'root.a',
    node: `n${number}`,
    resources: { memory: 30e9, vcore: 4000 },
    startedAt: `2026-11-21T09:00:0${number}.000Z`,
  })),
};
const trigger = { policy: 'quota-decrease', queue: 'root.a' };
const planCase = { snapshot, trigger };
const evenCase = { snapshot: { ...snapshot, allocations: [] }, trigger };
const clock = {
  queue: 'root.a',
  settings: { quotaPreemptionEnabled: true },
  initial: { max: { memory: 90 }, delay: 60, dueAt: null, usage: { memory: 80 } },
  steps: [
    { at: 'T+0s', config: { max: { memory: 30 }, delay: 60 } },
    { at: 'T+60s', check: true },
  ],
};

const commands =
  'start apply export get explain approve reject cancel stop resume mode replay republish plan timeline validate diff quantity';

describe('the program', () => {
  it.each([
    [],
    ...commands.split(' ').map((command) => [command]),
    ['log', 'archive'],
    ['log', 'verify'],
    ['simulate', 'load'],
    ['simulate', 'sample'],
    ['simulate', 'clear'],
  ])('%s --help has an example', async (...command) => {
    const { status, stdout, stderr } = await curtail([...command, '--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(command.length === 0 ? 'Exit status' : `Example:\n  curtail ${command[0]}`);
    expect(stdout).toContain('--output <format>');
  });

  it.each([
    [['nonsense'], "error: unknown command 'nonsense'\nnext: see the commands: curtail --help\n"],
    [['plan', '--nonsense'], 'unknown option'],
    [['plan', '--input'], 'argument missing'],
    [['-o', 'xml', 'plan'], 'Allowed choices are table, wide, json, yaml, name'],
    [
      ['plan'],
      'give either --input FILE, --batch FILE, --statedump FILE, --yarn-url URL, --yarn-answers FILE, --ytsaurus-url URL or --ytsaurus-answers FILE',
    ],
    [['plan', '--input', 'a', '--batch', 'b'], 'more than one input'],
    [['timeline'], 'give either'],
    [['validate'], 'give either'],
    [['quantity'], 'give either'],
    [
      ['diff', 'one'],
      'error: <new> is missing: a file or version to compare with it\nnext: see its arguments and',
    ],
    [
      ['completion'],
      'error: <shell> is missing: the shell, one of bash, zsh, fish, powershell\nnext: see its arguments and',
    ],
    [['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish, powershell.\nnext: see its'],
    [['dead-letters', 'show'], 'see its arguments and options: curtail dead-letters show --help\n'],
    [
      ['get', 'mode'],
      'next: set or show whether a partition is enforced or only observed: curtail mode --help\n',
    ],
    [
      ['get', 'enforcments'],
      'error: "enforcments" cannot be listed; did you mean enforcements?\nnext: list them: curtail get enforcements\n',
    ],
    [['get', 'queu/root.a'], 'did you mean queue?\nnext: list them: curtail get queue root.a\n'],
    [['get', 'nonsense'], 'error: "nonsense" cannot be listed: write one of queues, '],
    [
      ['explain', 'mode'],
      '"mode" cannot be explained: write one of enforcement, allocation, application, user, queue\nnext: ',
    ],
    [['explain', 'allocaton', 'a-1'], 'next: write allocation: curtail explain allocation NAME\n'],
    [['explain', 'sweep'], 'next: if it is an application, explain it: curtail explain application sweep\n'],
    [['diff', '-', '-'], 'only one of the two'],
    [['validate', '--format', 'slurm', 'x'], 'Allowed choices are yunikorn'],
  ])('%j ends with 2', async (argv, message) => {
    const { status, stdout, stderr } = await curtail(argv);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('shows which file it cannot read', async () => {
    const { status, stderr } = await curtail(['plan', '--input', join(folder, 'nowhere.json')]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: cannot read .*nowhere\.json: no such file/);
    expect((await curtail(['validate', folder])).stderr).toContain('is a folder');
  });
});

describe('plan', () => {
  it('gives the plan, and ends with 1 if it would evict', async () => {
    const { status, stdout, stderr } = await curtail(['plan', '--input', '-'], {
      stdin: JSON.stringify(planCase),
    });
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    const plan = JSON.parse(stdout);
    expect(plan).toMatchObject({ kind: 'Plan', outcome: 'satisfied', target: { memory: 40e9 } });
    expect(plan.victims.map(({ allocation }: { allocation: string }) => allocation)).toEqual([
      'alloc-3',
      'alloc-2',
    ]);
    expect(plan.spared).toBeUndefined();
  });

  it('plans all queues in one, with what an explained plan says of users and applications', async () => {
    const inQueue = (id: string, memory: number, priority: number, count: number) => ({
      id,
      queue: 'root.a',
      user: 'ann',
      priority,
      submittedAt: '2026-11-21T08:00:00Z',
      pending: [{ resources: { memory }, count }],
    });
    const whole = { memory: 90e9 };
    const input = {
      snapshot: {
        ...snapshot,
        nodes: [{ id: 'n1', capacity: whole }],
        queues: [{ path: 'root' }, { path: 'root.a', guaranteed: whole }],
        applications: [inQueue('app1', 30e9, 1, 0), inQueue('app2', 30e9, 2, 1)],
      },
      trigger: { policy: 'intra-queue' },
      settings: { preemptionOrderPolicy: 'priority-first', maxAllowableLimit: 1, totalPreemptionPerRound: 1 },
    };
    const argv = ['-o', 'table', 'plan', '--input', '-', '--explain'];
    const { status, stdout } = await curtail(argv, { stdin: JSON.stringify(input) });
    expect(status).toBe(1);
    expect(stdout).toContain('all queues: satisfied, 1 victim\n');
    expect(stdout).toMatch(/^root\.a +ann +90 GB +90 GB$/m);
    expect(stdout).toMatch(/^root\.a +app2 +- +30 GB +30 GB +30 GB +- +-$/m);
    expect(stdout).toContain('1  alloc-3');
    const observing = { ...input, settings: { ...input.settings, observeOnly: true } };
    const observed = await curtail(argv, { stdin: JSON.stringify(observing) });
    expect(observed.status).toBe(0);
    expect(observed.stdout).toContain('satisfied, 1 victim, only observed: nothing would be evicted\n');
  });

  it('ends with 0 if nothing would be evicted', async () => {
    const { status, stdout } = await curtail(['plan', '--input', '-'], { stdin: JSON.stringify(evenCase) });
    expect(status).toBe(0);
    expect(JSON.parse(stdout).outcome).toBe('not-needed');
  });

  it('explains what stays', async () => {
    const stdin = JSON.stringify({ ...planCase, settings: null });
    const { stdout } = await curtail(['plan', '--input', '-', '--explain'], { stdin });
    expect(JSON.parse(stdout).spared).toEqual([{ allocation: 'alloc-1', reason: 'not-needed' }]);
  });

  it('shows people target, victims and notices, as wide as their terminal', async () => {
    const { stdout } = await curtail(['plan', '--input', '-', '--explain', '--no-color'], {
      stdin: JSON.stringify(planCase),
      columns: 72,
    });
    expect(stdout).toContain('root.a: satisfied, 2 victims');
    expect(stdout).toMatch(/TYPE +TARGET +CLAIMED +OVERSHOOT[^\n]*\nmemory +40 GB +60 GB +20 GB/);
    expect(stdout).toMatch(/RANK +ALLOCATION[^\n]*\n +REASON\n +1 +alloc-3[^\n]*\n +Number 1 of 3/);
    expect(stdout).toMatch(/SPARED\n[^\n]*\nalloc-1 +not-needed/);
    expect(stdout).toMatch(/NOTICES\n[^\n]*\novershoot/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(72);
  });

  it('has colours on a terminal only, and only without NO_COLOR', async () => {
    const stdin = JSON.stringify(planCase);
    const sequence = '\u001b[';
    const table = ['plan', '--input', '-', '-o', 'table'];
    expect((await curtail(table, { stdin, columns: 100 })).stdout).toContain(sequence);
    expect((await curtail(table, { stdin })).stdout).not.toContain(sequence);
    expect((await curtail([...table, '--no-color'], { stdin, columns: 100 })).stdout).not.toContain(sequence);
    expect((await curtail(table, { stdin, columns: 100, env: { NO_COLOR: '1' } })).stdout).not.toContain(
      sequence,
    );
  });

  it('comes as YAML, as names, and wide', async () => {
    const stdin = JSON.stringify(planCase);
    const yaml = await curtail(['plan', '--input', '-', '-o', 'yaml'], { stdin });
    const json = await curtail(['-o', 'json', 'plan', '--input', '-'], { stdin });
    expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout));
    const names = await curtail(['plan', '--input', '-', '-o', 'name'], { stdin });
    expect(names.stdout).toBe('allocation/alloc-3\nallocation/alloc-2\n');
    const wide = await curtail(['plan', '--input', '-', '-o', 'wide'], { stdin });
    expect(wide.stdout).toMatch(/NODE +UID +REASON/);
  });

  it('names line and field of what is wrong', async () => {
    const bad = {
      ...planCase,
      snapshot: { ...snapshot, queues: [{ path: 'root' }, { path: 'root.a', max: { memory: -1 } }] },
    };
    const path = await file('bad.json', JSON.stringify(bad, null, 2));
    const { status, stdout, stderr } = await curtail(['plan', '--input', path]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^error: .*bad\.json:14:21: queues\[1\]\.max\.memory: /);
    const broken = await file('broken.json', '{\n  "snapshot": {},\n}');
    expect((await curtail(['plan', '--input', broken])).stderr).toMatch(/broken\.json:3:1: not JSON: /);
    const empty = await curtail(['plan', '--input', '-'], { stdin: ' \n' });
    expect(empty.stderr).toContain('<stdin>:2:1: not JSON: it is empty');
  });

  it('refuses what is nested without end', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    for (const stdin of [deep, `{"snapshot": ${deep}}`]) {
      const { status, stderr } = await curtail(['plan', '--input', '-'], { stdin });
      expect(status).toBe(2);
      expect(stderr).toMatch(/^error: <stdin>.*: (values are nested too deeply|must be an object)/);
      expect((await curtail(['plan', '--batch', '-'], { stdin })).stdout).toMatch(/^\{"error"/);
    }
  });

  it('answers every line of a batch in its place', async () => {
    const lines = [
      JSON.stringify(planCase),
      '{"snapshot": {}',
      '',
      '[]',
      '['.repeat(100_000),
      JSON.stringify(evenCase),
    ];
    const { status, stdout, stderr } = await curtail(['plan', '--batch', '-', '-o', 'table'], {
      stdin: lines.join('\n'),
    });
    expect(status).toBe(0);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers).toHaveLength(lines.length);
    expect(answers[0].victims).toHaveLength(2);
    for (const answer of answers.slice(1, 5)) {
      expect(Object.keys(answer)).toEqual(['error']);
      expect(answer.error.message.length).toBeGreaterThan(10);
      expect(typeof answer.error.path).toBe('string');
    }
    expect(answers[5].outcome).toBe('not-needed');
    expect(stderr).toContain('4 of 6 lines');
    expect((await curtail(['-q', 'plan', '--batch', '-'], { stdin: '{' })).stderr).toBe('');
  });
});

describe('a batch', () => {
  it('has a progress bar on a terminal, and not for the quiet', async () => {
    const path = await file('many.ndjson', '{"text":"20Gi"}\n'.repeat(10_000));
    const batch = ['quantity', '--batch', path];
    expect((await curtail(batch, { columns: 80 })).stderr).toContain('% of');
    expect((await curtail([...batch, '-q'], { columns: 80 })).stderr).toBe('');
    expect((await curtail(batch)).stderr).toBe('');
  });
});

describe('timeline', () => {
  const result = {
    dueAt: null,
    dueAtSteps: ['T+60s', null],
    started: true,
    startedAtSteps: [null, true],
    runInterrupted: false,
  };

  it('gives the times of each step', async () => {
    const { status, stdout } = await curtail(['timeline', '--input', '-'], { stdin: JSON.stringify(clock) });
    expect({ status, result: JSON.parse(stdout) }).toEqual({ status: 0, result });
  });

  it('shows people a row a step', async () => {
    const { stdout } = await curtail(['timeline', '--input', '-', '-o', 'table'], {
      stdin: JSON.stringify(clock),
    });
    expect(stdout).toMatch(/AT +STEP +DUE +STARTED\nT\+0s +config +T\+60s +-\nT\+60s +check +- +yes\n/);
  });

  it('goes through a batch', async () => {
    const backwards = { ...clock, steps: [{ at: 'T+5s' }, { at: 'T+1s' }] };
    const stdin = `${JSON.stringify(backwards)}\n${JSON.stringify(clock)}\n`;
    const { stdout } = await curtail(['timeline', '--batch', '-'], { stdin });
    const [first, second] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first.error.path).toBe('steps[1].at');
    expect(second).toEqual(result);
  });
});

describe('validate', () => {
  const good =
    'partitions:\n  - queues:\n      - {name: A, resources: {max: {memory: 9E}, quota.preemption.delay: 5}}\n';
  const bad = 'partitions:\n  - queues:\n      - name: a\n        resorces: {}\n      - name: A\n';

  it('gives the result of one file as it is', async () => {
    const { status, stdout, stderr } = await curtail(['validate', '-', '-o', 'json'], { stdin: good });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('"memory": 9000000000000000000');
    expect(JSON.parse(stdout)).toEqual({
      valid: true,
      errors: [],
      warnings: [
        {
          path: 'partitions[0].name',
          message: expect.stringMatching(
            /^nothing will be enforced, because preemption\.quotapreemptionenabled/,
          ),
          line: 2,
          column: 5,
          code: 'nothing-enforced',
          about: { kind: 'partition', name: 'default' },
        },
        {
          path: 'partitions[0].queues[0].resources."quota.preemption.delay"',
          message: expect.stringContaining('below 60 s'),
          line: 3,
          column: 74,
          code: 'delay-unusual',
          about: { kind: 'queue', name: 'root.a' },
        },
      ],
      partitions: [{ name: 'default', quotaPreemptionEnabled: false }],
      queues: [
        { partition: 'default', path: 'root', max: null, guaranteed: null, delaySeconds: 0 },
        { partition: 'default', path: 'root.a', max: { memory: 9e18 }, guaranteed: null, delaySeconds: 5 },
      ],
    });
  });

  it('takes the setting for guaranteed amounts that equal max', async () => {
    const stdin =
      'partitions:\n  - queues:\n      - {name: a, resources: {max: {memory: 5}, guaranteed: {memory: 5}, quota.preemption.delay: 60}}\n';
    const strict = await curtail(['validate', '-', '-o', 'table'], { stdin });
    expect(strict.status).toBe(2);
    expect(strict.stdout).toContain('guaranteedEqualsMax: allow');
    const lax = await curtail(['validate', '-', '--guaranteed-equals-max', 'allow', '-o', 'json'], { stdin });
    expect(lax.status).toBe(0);
    expect(JSON.parse(lax.stdout).warnings).toMatchObject([
      { code: 'nothing-enforced', line: 2 },
      { code: 'guaranteed-equals-max', line: 3 },
    ]);
  });

  it('ends with 2 if one of the files is refused, and shows what is wrong in each', async () => {
    const [goodFile, badFile] = [await file('good.yaml', good), await file('bad.yaml', bad)];
    const { status, stdout } = await curtail(['validate', goodFile, badFile, '-o', 'table']);
    expect(status).toBe(2);
    expect(stdout).toContain('good.yaml: 1 partition, 2 queues');
    expect(stdout).toMatch(
      /error +\S*bad\.yaml:4:9: partitions\[0\]\.queues\[0\]\.resorces: unknown key: write resources/,
    );
    expect(stdout).toMatch(/error +\S*bad\.yaml:5:15: partitions\[0\]\.queues\[1\]\.name: /);
    const json = await curtail(['validate', goodFile, '-f', badFile]);
    expect(
      JSON.parse(json.stdout).map(({ file, valid }: { file: string; valid: boolean }) => [file, valid]),
    ).toEqual([
      [goodFile, true],
      [badFile, false],
    ]);
  });

  it('answers every line of a batch', async () => {
    const config = { partitions: [{ queues: [] }] };
    const lines = [{ format: 'yunikorn', config }, { config: {} }, { format: 'xml', config }];
    const stdin = lines.map((line) => JSON.stringify(line)).join('\n');
    const { status, stdout } = await curtail(['validate', '--batch', '-'], { stdin });
    expect(status).toBe(0);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ valid }) => valid)).toEqual([true, false, undefined]);
    expect(answers[2].error.path).toBe('format');
  });

  it('finds out what a file is written for, and reads yarn-site.xml beside the other one', async () => {
    const key = 'yarn.scheduler.capacity.';
    const xml = (settings: Record<string, string>) =>
      `<configuration>\n${Object.entries(settings)
        .map(([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`)
        .join('\n')}</configuration>`;
    const queues = { [`${key}root.queues`]: 'a', [`${key}root.a.capacity`]: '100' };
    const scheduler = await file('capacity-scheduler.xml', xml(queues));
    const site = await file('yarn-site.xml', xml({ 'yarn.scheduler.minimum-allocation-mb': 'few' }));
    const { status, stdout } = await curtail(['validate', scheduler]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      partitions: [{ name: 'default', policies: { 'intra-queue': {} } }],
      queues: [{ path: 'root' }, { path: 'root.a', guaranteed: null, clusterShare: { guaranteed: '1' } }],
    });
    const wide = await curtail(['validate', '-', '-o', 'wide'], { stdin: xml(queues) });
    expect(wide.stdout).toContain('100 % of the cluster');
    const both = await curtail(['validate', scheduler, '--yarn-site', site, '-o', 'table']);
    expect(both.status).toBe(2);
    expect(both.stdout).toMatch(
      /yarn-site\.xml:2:\d+: yarn\.scheduler\.minimum-allocation-mb: write a number/,
    );
    const broken = await curtail(['validate', await file('broken.xml', 'partitions: []'), '-o', 'table']);
    expect(broken.stdout).toMatch(/broken\.xml:1:\d+: not well-formed XML/);
    const batch = await curtail(['validate', '--batch', '-'], {
      stdin: JSON.stringify({ format: 'capacity-scheduler', config: queues }),
    });
    expect(JSON.parse(batch.stdout)).toMatchObject({ valid: true, queues: [{}, { path: 'root.a' }] });
  });

  it('reads pool trees, and shows what is wrong with which line', async () => {
    const good = 'pool_trees:\n  physical:\n    pools:\n      a: {weight: 2}\n';
    const { status, stdout } = await curtail(['validate', '-', '-o', 'json'], { stdin: good });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      partitions: [{ name: 'physical', policies: { 'fair-share': {} } }],
      queues: [{ path: 'root' }, { path: 'root.a', properties: { weight: 2 } }],
    });
    const bad = await curtail(['validate', '--format', 'ytsaurus', '-', '-o', 'table'], {
      stdin: good.replace('weight: 2', 'weight: 0'),
    });
    expect(bad.status).toBe(2);
    expect(bad.stdout).toMatch(
      /<stdin>:4:19: pool_trees\.physical\.pools\.a\.weight: write a number above 0/,
    );
  });

  it('knows the types of a snapshot', async () => {
    const known = await file('snapshot.json', JSON.stringify(snapshot));
    const stdin = 'partitions: [{queues: [{name: a, resources: {max: {vcore: 1, gpu: 1}}}]}]';
    const { stdout } = await curtail(['validate', '-', '--snapshot', known], { stdin });
    expect(JSON.parse(stdout).warnings.map(({ path }: { path: string }) => path)).toEqual([
      'partitions[0].name',
      'partitions[0].queues[0].resources.max.gpu',
    ]);
  });
});

describe('files as people have them', () => {
  const text = 'partitions: [{queues: [{name: a, resources: {max: {memory: 1G}}}]}]\r\n';

  it('may be UTF-16, as Windows PowerShell writes them', async () => {
    const path = await file('utf16.yaml', '');
    await writeFile(path, Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]));
    const { status, stdout } = await curtail(['validate', path]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout).queues[1]).toMatchObject({ path: 'root.a', max: { memory: 1e9 } });
    await writeFile(path, Buffer.from([0xff, 0xfe, 0, 0, 0x70, 0, 0, 0]));
    expect((await curtail(['validate', path])).stderr).toMatch(/utf16\.yaml: it is UTF-32; use UTF-8/);
  });

  it('are no reason to allow unknown keys, where that would not make them a configuration', async () => {
    for (const [name, content] of [
      ['scheduler.json', '{"scheduler": {"schedulerInfo": {}}}'],
      ['snapshot.json', '{"apiVersion": "curtail/v1", "queues": []}'],
      ['broken.yaml', text.replace('1G', '1X').replace('queues:', 'quantum: 1, queues:')],
    ] as const) {
      const { status, stdout, stderr } = await curtail([
        'validate',
        await file(name, content),
        '-o',
        'table',
      ]);
      expect(status).toBe(2);
      expect(`${stdout}${stderr}`).not.toContain('--allow-unknown');
    }
  });

  it('have what is on by default in the first line', async () => {
    const key = 'yarn.scheduler.capacity.root';
    const scheduler = await file(
      'emr.json',
      JSON.stringify([
        {
          Classification: 'capacity-scheduler',
          Properties: { [`${key}.queues`]: 'a', [`${key}.a.capacity`]: 100, 'yarn.x': 1 },
        },
      ]),
    );
    const { stdout } = await curtail(['validate', scheduler, '-o', 'table']);
    expect(stdout.split('\n')[0]).toMatch(
      /so Curtail turns in-queue preemption on.*\(preemption-by-default\)$/,
    );
    const { warnings } = JSON.parse((await curtail(['validate', scheduler])).stdout);
    expect(warnings.map(({ code }: { code: string }) => code)).toEqual([
      'preemption-by-default',
      'unknown-key',
    ]);
  });
});

describe('diff', () => {
  const configuration = (memory: string) =>
    `partitions: [{queues: [{name: a, resources: {max: {memory: ${memory}}, quota.preemption.delay: 60}}]}]`;

  it('shows which policies run, and their settings', async () => {
    const pools = (weight: number) => `pool_trees: {default: {pools: {a: {weight: ${weight}}}}}`;
    const [one, two] = [await file('one.yaml', pools(1)), await file('two.yaml', pools(2))];
    const none = await file('none.yaml', 'partitions: [{queues: []}]');
    const started = await curtail(['diff', none, one, '-o', 'table']);
    expect(started.stdout).toContain('partition default: policy fair-share would run from now on');
    const changed = await curtail(['diff', one, two, '-o', 'table', '--no-color']);
    expect(changed.stdout).toMatch(/root\.a +weight +1 +2 +changed/);
  });

  it('shows what goes down and which clock starts', async () => {
    const [old, now] = [
      await file('old.yaml', configuration('90G')),
      await file('new.yaml', configuration('30G')),
    ];
    const table = await curtail(['diff', old, now, '-o', 'table']);
    expect(table.status).toBe(0);
    expect(table.stdout).toMatch(
      /default +root\.a +max +90 GB +30 GB +lower +starts or restarts: max goes down/,
    );
    const { queues } = JSON.parse((await curtail(['diff', old, now])).stdout);
    expect(queues).toMatchObject([
      { path: 'root.a', max: [{ type: 'memory', change: 'lower', from: 90e9, to: 30e9 }] },
    ]);
    expect((await curtail(['diff', old, old, '-o', 'table'])).stdout).toBe('nothing changes\n');
  });

  it('shows a limit that is a share of the cluster as one, beside the amounts that take its place', async () => {
    const key = 'yarn.scheduler.capacity.root';
    const yarn = (max: string) =>
      file(
        `${max.length}.json`,
        JSON.stringify({
          [`${key}.queues`]: 'a',
          [`${key}.a.capacity`]: 100,
          [`${key}.a.maximum-capacity`]: max,
        }),
      );
    const [share, amounts, none] = [
      await yarn('100'),
      await yarn('[memory=10240,vcores=10]'),
      await yarn('-1'),
    ];
    const table = async (old: string, now: string) =>
      (await curtail(['diff', old, now, '-o', 'wide', '--no-color'])).stdout;
    expect(await table(share, amounts)).toMatch(
      /root\.a +max +100 % of the cluster +10 GiB, 10 vcore +depends on the cluster/,
    );
    expect(await table(amounts, share)).toMatch(
      /root\.a +max +10 GiB, 10 vcore +100 % of the cluster +depends on the cluster/,
    );
    expect(`${await table(share, amounts)}${await table(amounts, share)}`).not.toContain('no limit');
    expect(await table(share, none)).toMatch(/root\.a +max +100 % of the cluster +no limit +raise/);
  });

  it('compares files with keys that Curtail does not know, where they are allowed', async () => {
    const newer = configuration('90G').replace('queues:', 'quantum: 1, queues:');
    const old = await file('newer.yaml', newer);
    const now = await file('new.yaml', configuration('30G'));
    const refused = await curtail(['diff', old, now]);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('add --allow-unknown');
    const { status, stdout, stderr } = await curtail(['diff', old, now, '--allow-unknown', '-o', 'table']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/root\.a +max +90 GB +30 GB +lower/);
    expect(stderr).toMatch(/^warning: \S+newer\.yaml:1:15: partitions\[0\]\.quantum: unknown key/);
  });

  it('reads the yarn-site.xml beside capacity-scheduler.xml, and no other file with it', async () => {
    const xml = (name: string, ...properties: [string, string][]) =>
      file(
        name,
        `<configuration>${properties.map(([key, value]) => `<property><name>${key}</name><value>${value}</value></property>`).join('')}</configuration>`,
      );
    const key = 'yarn.scheduler.capacity.root';
    const [old, now, site] = [
      await xml('old.xml', [`${key}.queues`, 'a'], [`${key}.a.capacity`, '100']),
      await xml('now.xml', [`${key}.queues`, 'a'], [`${key}.a.capacity`, '100'], ['no.such.key', '1']),
      await xml('yarn-site.xml', ['yarn.resourcemanager.scheduler.class', 'org.example.FairScheduler']),
    ];
    expect((await curtail(['diff', old, now])).status).toBe(0);
    const { status, stderr } = await curtail(['diff', old, now, '--yarn-site', site]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: \S+yarn-site\.xml:1:/m);
    const yaml = await file('queues.yaml', configuration('90G'));
    expect((await curtail(['diff', yaml, yaml, '--yarn-site', site])).stderr).toContain(
      '--yarn-site goes with a capacity-scheduler.xml',
    );
  });

  it('compares one partition of files, and says which there are if it has another name', async () => {
    const two = (memory: string) =>
      `partitions: [{name: gpu, queues: [{name: a, resources: {max: {memory: ${memory}}}}]}, {name: web, queues: [{name: b, resources: {max: {memory: ${memory}}}}]}]`;
    const [old, now] = [await file('old.yaml', two('90G')), await file('new.yaml', two('30G'))];
    const paths = async (...words: string[]) =>
      (await curtail(['diff', old, now, ...words, '-o', 'name'])).stdout.trim().split('\n');
    expect(await paths()).toEqual(['queue/root.a', 'queue/root.b']);
    expect(await paths('--partition', 'GPU')).toEqual(['queue/root.a']);
    const { status, stderr } = await curtail(['diff', old, now, '--partition', 'gpuu']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/old\.yaml has no partition gpuu; it has gpu, web; did you mean gpu\?/);
  });

  it('refuses what is no configuration, with all that is wrong', async () => {
    const old = await file('old.yaml', configuration('90G'));
    const { status, stdout, stderr } = await curtail(['diff', old, '-'], { stdin: configuration('-1') });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^error: <stdin>:1:60: partitions\[0\]\.queues\[0\]\.resources\.max\.memory: /);
  });
});

describe('quantity', () => {
  it.each([
    [['20Gi'], '21474836480'],
    [['500m', '--resource', 'vcore'], '500'],
    [['9223372036854775807'], '9223372036854775807'],
    [['20Gi', '-o', 'wide'], '21474836480  (20 GiB)'],
    [['10', '-o', 'name'], '10'],
  ])('%j', async (argv, expected) => {
    expect(await curtail(['quantity', ...argv])).toEqual({ status: 0, stdout: `${expected}\n`, stderr: '' });
  });

  it('comes as JSON where that is asked for', async () => {
    const { stdout } = await curtail(['quantity', '9223372036854775807', '-o', 'json']);
    expect(stdout.replace(/\s/g, '')).toBe('{"value":9223372036854775807}');
  });

  it.each(['-1', '+5', '1.5G', '5X', '', '--'])('%j is refused', async (text) => {
    const { status, stdout, stderr } = await curtail(['quantity', text]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
  });

  it('goes through a batch, digit by digit', async () => {
    const stdin = [
      '{"resource":"vcore","text":"2Ki"}',
      '{"resource":"memory","text":9223372036854775807}',
      '{"resource":"memory","text":1e3}',
      '{"resource":"memory","text":"500m"}',
      '{"resource":"memory"}',
      '{"text":null}',
    ].join('\n');
    const { stdout } = await curtail(['quantity', '--batch', '-'], { stdin });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual(['{"value":2048000}', '{"value":9223372036854775807}']);
    for (const line of lines.slice(2))
      expect(JSON.parse(line)).toEqual({ error: { message: expect.any(String), path: 'text' } });
  });
});
