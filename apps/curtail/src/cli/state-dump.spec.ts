import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { curtail } from './test-terminal.js';

const recorded = 'test/clusters/yunikorn/state-dump.json';
const whole = readFileSync(recorded, 'utf8');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'curtail-dump-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function planned(text: string, ...more: string[]) {
  const file = join(folder, 'dump.json');
  await writeFile(file, text);
  return curtail(['plan', '--statedump', file, '--queue', 'root.prod', ...more]);
}
/** The dump with the max of root.prod lowered to this many millicores, and nothing guaranteed. */
function lowered(vcore: number): string {
  const dump = JSON.parse(whole);
  const [prod] = dump.queues[0].children;
  prod.maxResource = { vcore };
  delete prod.guaranteedResource;
  return JSON.stringify(dump);
}

describe('curtail plan --statedump', () => {
  it('plans what a queue is above its max', async () => {
    const { status, stdout } = await planned(lowered(3000), '-o', 'json');
    expect(status).toBe(1);
    const plan = JSON.parse(stdout);
    expect(plan).toMatchObject({ queue: 'root.prod', target: { vcore: 3000 } });
    // The originator stays.
    expect(plan.victims).toHaveLength(1);
    expect(plan.victims[0]).toMatchObject({ allocation: expect.stringMatching(/^batch\/spark-/) });
  });

  it('finds nothing to do in the recorded cluster', async () => {
    const { status, stdout } = await planned(whole, '-o', 'json');
    expect({ status, victims: JSON.parse(stdout).victims }).toEqual({ status: 0, victims: [] });
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
        dump.applications[1].allocations.push('... 2 more left out');
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

  it('refuses a partition that is not there, and wants a queue', async () => {
    const { stderr } = await planned(whole, '--partition', 'gpu');
    expect(stderr).toContain('there is no partition gpu: it has default');
    expect((await curtail(['plan', '--statedump', recorded])).stderr).toContain('give --queue');
    expect((await curtail(['plan', '--input', recorded, '--queue', 'root.a'])).stderr).toContain(
      '--queue goes with --statedump',
    );
  });
});
