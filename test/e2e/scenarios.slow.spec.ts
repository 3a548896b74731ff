import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurtailFolder, type CurtailProcess } from '../support/curtail-process.js';
import { withConstants } from '../support/with-constants.js';

const run = promisify(execFile);

/** Rows of the table of applications below a title: name → running and waiting. */
function applications(output: string, title: 'BEFORE' | 'AFTER'): Record<string, string> {
  const [, table = ''] = output.split(`${title}\n`);
  const rows = table.split('\n').slice(1);
  const end = rows.findIndex((row) => !row.includes(' root.'));
  return Object.fromEntries(
    rows.slice(0, end).map((row) => {
      const [name = '', , , , running, waiting] = row.split(/\s+/);
      return [name, `${running} run, ${waiting} wait`];
    }),
  );
}

/** The built program, as a new user sees it; kills need no pause here. */
describe('the scenarios of the examples', () => {
  let folder: CurtailFolder;
  let curtail: CurtailProcess;
  beforeAll(async () => {
    folder = await CurtailFolder.create();
    curtail = folder.spawn({
      words: ['start', '--scenario', 'examples/priority-inversion.yaml'],
      environment: {
        CURTAIL_GRACE_SECONDS: '0',
        CURTAIL_VICTIMS_PER_SECOND: '1000',
        ...withConstants({ roundIntervalMilliseconds: 300 }),
      },
    });
    await curtail.listening;
  });
  afterAll(async () => {
    await folder?.remove();
  });

  it('play the priority inversion with the start of Curtail', async () => {
    await until(async () => /AFTER[\s\S]*Curtail keeps running/.test(curtail.output));
    const output = curtail.output;
    expect(applications(output, 'BEFORE')).toEqual({
      'nightly-report': '100 run, 0 wait',
      'urgent-fix': '0 run, 50 wait',
    });
    expect(output).toContain('ROUND 1: 50 GB to be freed');
    // Hints work as they stand, and none is of the sample, which is not there.
    expect(output).toMatch(/^npx curtail explain enforcement r-/m);
    expect(output).toMatch(
      /keeps running\. To see more, .*\n {2}npx curtail get rounds --partition priority-scenario\n/,
    );
    expect(output).not.toContain('queues-lowered');
    expect(output).toMatch(
      /The owners are notified of 30 allocations\n {2}nightly-report-100, .* and 27 more\n.*priority 1/,
    );
    expect(output).toMatch(/Evicted: 30 allocations/);
    expect(applications(output, 'AFTER')).toEqual({
      'nightly-report': '50 run, 0 wait',
      'urgent-fix': '50 run, 0 wait',
    });
  });

  /** Plays a scenario in the Curtail that runs; returns its output. */
  async function play(file: string): Promise<string> {
    const { stdout } = await run(process.execPath, [
      'bin/curtail.mjs',
      ...['simulate', 'play', file, '--server', await curtail.listening],
    ]);
    return stdout;
  }

  it('play ordinary starvation: a pool above its share gives, an allocation a node and plan, until the other has its share', async () => {
    const output = await play('examples/starvation.yaml');
    expect(applications(output, 'BEFORE')).toEqual({ crawl: '20 run, 0 wait', shop: '0 run, 10 wait' });
    expect(output).toContain('operation shop: normal -> below fair share (has 0 % of its 50 %)');
    expect(output).toContain('operation shop: below fair share -> starving');
    expect(output).toMatch(/ROUND \d+[\s\S]*Evicted: 2 allocations\n {2}crawl-0\d\d\n/);
    expect(applications(output, 'AFTER')).toEqual({ crawl: '10 run, 0 wait', shop: '10 run, 0 wait' });
  });

  it('play aggressive starvation: half a node is freed at once, and not before', async () => {
    const output = await play('examples/aggressive-starvation.yaml');
    expect(output).toMatch(/starving -> aggressively starving[\s\S]*Evicted: 5 allocations/);
    expect(output.match(/Evicted:/g)).toHaveLength(1);
    expect(applications(output, 'AFTER')).toEqual({ many: '15 run, 0 wait', wide: '1 run, 0 wait' });
  });

  it('play the overcommitted node: the newest two go', async () => {
    const output = await play('examples/overcommitted-node.yaml');
    expect(output).toMatch(/Evicted: 2 allocations\n {2}render-010, render-009/);
    expect(applications(output, 'AFTER')).toEqual({ render: '8 run, 0 wait' });
  });

  it('play a lowered quota with tasks that refuse, leave slowly or are protected', async () => {
    const output = await play('examples/refusing-and-slow.yaml');
    expect(applications(output, 'BEFORE')).toEqual({ sweep: '8 run, 0 wait' });
    const [, evicted = '', refused = ''] =
      /RUN of root\.lab: 8 GB to be freed\nEvicted: 3 allocations\n([\s\S]*)Not evicted: 1 allocation\n([\s\S]*?)\n\n/.exec(
        output,
      ) ?? [];
    expect(evicted.match(/sweep-\d+/g)).toEqual(['sweep-003', 'sweep-004', 'sweep-006']);
    expect(refused).toMatch(/^ {2}sweep-002\n {4}It writes a checkpoint\.\n/);
    // A minute later, another one goes in the place of the one that refused.
    expect(output).toMatch(
      /sweep-002[\s\S]*RUN of root\.lab: 2 GB to be freed\nEvicted: 1 allocation\n {2}sweep-005\n/,
    );
    expect(applications(output, 'AFTER')).toEqual({ sweep: '4 run, 0 wait' });
  });

  it('play a gang that goes as one, and a disruption budget that keeps a queue above its quota', async () => {
    const output = await play('examples/gang-and-budget.yaml');
    expect(output).toMatch(
      /RUN of root\.lab: 8 GB to be freed\nEvicted: 4 allocations\n {2}trainer-004\n[\s\S]*members of the gang of trainer go as one/,
    );
    expect(output).toMatch(/RUN of root\.web: 4 GB to be freed\nEvicted: 1 allocation\n/);
    expect(applications(output, 'AFTER')).toEqual({
      sweep: '4 run, 0 wait',
      trainer: '0 run, 0 wait',
      shop: '3 run, 0 wait',
    });
  });

  it('play the user-limit inversion to a Curtail that runs', async () => {
    const { stdout } = await run(process.execPath, [
      'bin/curtail.mjs',
      ...['simulate', 'play', 'examples/user-limit-inversion.yaml', '--server', await curtail.listening],
    ]);
    expect(applications(stdout, 'BEFORE')).toEqual({
      simulation: '100 run, 50 wait',
      analysis: '0 run, 150 wait',
    });
    expect(stdout).toMatch(/ada uses 100 GiB memory.*limit.*51 GiB memory/);
    // Half of the queue and one step, rounded up: 51 GiB; a user above it stays above it.
    expect(applications(stdout, 'AFTER')).toEqual({
      simulation: '52 run, 50 wait',
      analysis: '48 run, 102 wait',
    });
  });
});

it('a scenario ends when an operator rejects its plan, and names the allocations that later rounds spare', async () => {
  const folder = await CurtailFolder.create();
  try {
    const curtail = folder.spawn({
      words: ['start', '--scenario', 'examples/aggressive-starvation.yaml'],
      environment: {
        CURTAIL_APPROVE_ABOVE_VICTIMS: '1',
        ...withConstants({ roundIntervalMilliseconds: 300 }),
      },
    });
    const server = await curtail.listening;
    const on = ['--server', server, '--partition', 'aggressive-scenario'];
    const ask = async (...words: string[]) =>
      (await run(process.execPath, ['bin/curtail.mjs', ...words, ...on])).stdout.trim();
    await until(async () => (await ask('get', 'enforcements')).includes('waiting for approval'));
    const name = await ask('get', 'enforcements', '-o', 'name');
    expect(name).toMatch(/^enforcement\/r-\w+$/);
    await run(process.execPath, ['bin/curtail.mjs', 'reject', name.split('/')[1]!, '--server', server]);
    await until(async () => /AFTER[\s\S]*Curtail keeps running/.test(curtail.output));
    const alone =
      /^Exempt until [-\d]+ [:\d]+: many, since an operator rejected a\s+plan\s+to\s+take\s+from it\.$/m;
    expect(curtail.output).toMatch(alone);
    expect(applications(curtail.output, 'AFTER')).toEqual({ many: '20 run, 0 wait', wide: '0 run, 1 wait' });
    expect(await ask('get', 'rounds', 'fair-share', '-o', 'table')).toMatch(alone);
    // Entries of a list can be explained as it stands.
    const why = await run(process.execPath, [
      'bin/curtail.mjs',
      'explain',
      name,
      '-o',
      'table',
      '--server',
      server,
    ]);
    expect(why.stdout).toContain('rejected');
  } finally {
    await folder.remove();
  }
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); ) {
    if (Date.now() > end) throw new Error('it did not come to that within a minute');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
