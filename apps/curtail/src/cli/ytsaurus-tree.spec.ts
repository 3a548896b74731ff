import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { attributesOfPoolTrees } from '#configuration';
import { FakeYtsaurus, YtFault } from '../../../../test/clusters/ytsaurus/fake-ytsaurus.js';
import type { FakeJob, FakeOperation } from '../../../../test/clusters/ytsaurus/world.js';
import { curtail } from '../../testing/test-terminal.js';

const scheduler = '//sys/scheduler/orchid/scheduler';

/** Ten jobs of `dev` hold all of a node; two of the five that are beyond its half make room for the two that `prod` waits for. */
describe('curtail plan for YTsaurus', () => {
  let fake: FakeYtsaurus;
  let folder: string;
  let jobs: FakeJob[];
  let old: FakeOperation;
  beforeEach(async () => {
    fake = await new FakeYtsaurus().up();
    folder = await mkdtemp(join(tmpdir(), 'curtail-ytsaurus-'));
    await writeFile(join(folder, 'token'), 't\n');
    const { world } = fake;
    world.schedules = false;
    world.addTree('physical', { main_resource: 'cpu', allocation_preemption_timeout: 7000 });
    for (const pool of ['prod', 'dev']) world.addPool('physical', pool);
    world.addNode('n1:9012', { cpu: 10, memory: 1000, user_slots: 100 }, 'physical');
    old = world.addOperation({ pool: 'dev', job: { cpu: 1 }, pending: 0 });
    world.addOperation({ pool: 'prod', job: { cpu: 2 }, pending: 1 });
    const began = Date.now() - 3_600_000;
    jobs = Array.from({ length: 10 }, (_, i) =>
      world.startJob(old, 'n1:9012', { startedAt: began + i * 1000 }),
    );
  });
  afterEach(async () => {
    await fake.down();
    await rm(folder, { recursive: true, force: true });
  });

  const live = (...more: string[]) =>
    curtail([
      ...['plan', '--ytsaurus-url', fake.url, '--ytsaurus-token-file', join(folder, 'token')],
      ...more,
    ]);
  const saved = (...more: string[]) =>
    curtail(['plan', '--ytsaurus-answers', folder, '--ytsaurus-tree', 'physical', ...more]);
  const newest = (count: number) => jobs.slice(-count).map(({ id }) => id);
  const victimsOf = (stdout: string): string[] =>
    JSON.parse(stdout).victims.map(({ allocation }: { allocation: string }) => allocation);
  /** Saves an answer as docs/how-to/ytsaurus.md says. */
  const save = async (name: string, command: string, parameters: object) => {
    const response = await fetch(`${fake.url}/api/v4/${command}`, {
      headers: {
        ...{ authorization: 'OAuth t', accept: 'application/json' },
        ...{ 'x-yt-header-format': '<format=text>json', 'x-yt-parameters': JSON.stringify(parameters) },
      },
    });
    await writeFile(join(folder, `${name}.json`), await response.text());
  };
  const saveAll = async () => {
    await save('tree', 'get', { path: '//sys/pool_trees/physical', attributes: attributesOfPoolTrees });
    await save('operations', 'get', { path: `${scheduler}/pool_trees/physical/operations` });
    await save('nodes', 'get', { path: `${scheduler}/nodes` });
    await save('list_operations', 'list_operations', { state: 'running', limit: 1000 });
    for (const id of fake.world.operations.keys()) {
      await save(`list_jobs-${id}`, 'list_jobs', { operation_id: id, job_state: 'running', limit: 1000 });
    }
    await rm(join(folder, 'token'));
  };

  it('makes room for who is below the fair share now, and changes nothing', async () => {
    const { status, stdout, stderr } = await live('-o', 'json');
    expect({ status, victims: victimsOf(stdout) }).toEqual({ status: 1, victims: newest(2).reverse() });
    expect(JSON.parse(stdout).victims[0]).toMatchObject({ cause: 'starvation', gracePeriodMs: 7000 });
    expect(stderr).toContain('one look does not tell since when');
    expect(fake.callsOf('abort_job')).toEqual([]);
    expect(fake.callsOf('set')).toEqual([]);
  });

  it('tries limits, and pool trees of a file', async () => {
    const limited = await live('--max', 'root.dev', 'vcore=6', '-o', 'json');
    expect(victimsOf(limited.stdout)).toEqual(newest(4).reverse());
    const file = join(folder, 'pools.yaml');
    await writeFile(
      file,
      'pool_trees: {physical: {config: {main_resource: cpu}, pools: {prod: {}, dev: {resource_limits: {cpu: 7}}}}}',
    );
    const tried = await live('-f', file, '-o', 'json');
    expect(victimsOf(tried.stdout)).toEqual(newest(3).reverse());
    await writeFile(file, 'pool_trees: {physical: {pools: {dev: {weight: -1}}}}');
    const refused = await live('-f', file);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining(`${file}:`) });
  });

  it('plans by saved answers as by those of a proxy, and prints what --input plans', async () => {
    const { stdout } = await live('-o', 'json');
    await saveAll();
    const plan = await saved('-o', 'json');
    expect(victimsOf(plan.stdout)).toEqual(victimsOf(stdout));
    const printed = await saved('--snapshot');
    const again = await curtail(['plan', '--input', '-', '-o', 'json'], { stdin: printed.stdout });
    expect(again.stdout).toBe(plan.stdout);
    const one = await saved('--queue', 'root.dev', '-o', 'json');
    expect(JSON.parse(one.stdout)).toMatchObject({ outcome: 'not-needed', victims: [] });
  });

  it('refuses answers that are missing, cut or do not add up', async () => {
    await saveAll();
    await rm(join(folder, `list_jobs-${old.id}.json`));
    const part = await saved();
    expect(part.status).toBe(2);
    expect(part.stderr).toContain('root.dev has 10 vcore');
    expect(part.stderr).toContain(
      `missing: list_jobs-${old.id}.json: its operation has jobs; save list_jobs-${old.id} list_jobs '{"operation_id":"${old.id}"`,
    );
    const allowed = await saved('--allow-difference', '-o', 'json');
    expect({ status: allowed.status, victims: victimsOf(allowed.stdout) }).toEqual({
      status: 0,
      victims: [],
    });
    await writeFile(join(folder, 'list_operations.json'), '{"operations": [], "incomplete": true}');
    expect((await saved()).stderr).toContain('list_operations.json');
    await writeFile(join(folder, 'nodes.json'), '<html>Sign in</html>');
    expect((await saved()).stderr).toContain('ask the proxy itself');
    await rm(join(folder, 'nodes.json'));
    expect((await saved()).stderr).toContain(
      `error: ${folder}: of the answers of YTsaurus, these are missing: nodes.json (save nodes get '{"path":"${scheduler}/nodes"}')`,
    );
  });

  it.each([
    ['a page of HTML', { page: '<title>It works</title>', status: 200 }, /page of HTML: "It works"/],
    ['a login page', { page: '', status: 302 }, /redirects to http:\/\/login\.example\/, as login pages do/],
    [
      '401',
      { fault: new YtFault(900, 'Invalid credentials', [], 401) },
      /caller is not known.*--ytsaurus-token-file/,
    ],
    ['403', { fault: new YtFault(901, 'Access denied', [], 403) }, /is refused: "Access denied".*that right/],
  ])(
    'names the address, what came, and the remedy for %s',
    async (_name, { page, status, fault }: Odd, message) => {
      fake.trouble = () => ({
        ...(fault && { fault }),
        ...(page !== undefined && {
          instead: (response) => {
            response
              .writeHead(status ?? 200, { 'content-type': 'text/html', location: 'http://login.example/' })
              .end(page);
          },
        }),
      });
      const refused = await live();
      expect(refused.status).toBe(2);
      expect(refused.stderr).toContain(fake.url);
      expect(refused.stderr).toMatch(message);
    },
  );

  it('refuses an old orchid, another tree, and options that do not go together', async () => {
    fake.world.connected = false;
    expect((await live()).stderr).toContain('not connected to its masters');
    expect((await live('--ytsaurus-tree', 'gpu')).stderr).toMatch(/no pool tree gpu: it has physical/);
    expect((await live('--ytsaurus-answers', folder)).status).toBe(2);
    expect((await live('--max', 'root.dev', 'vcore=1', '--queue', 'root.dev')).status).toBe(2);
    expect((await live('--delay', '10m')).stderr).toContain('--delay is not for YTsaurus');
    const alone = await curtail(['plan', '--ytsaurus-tree', 'physical', '--input', '-']);
    expect(alone.stderr).toContain('--ytsaurus-tree goes with');
  });
});

interface Odd {
  page?: string;
  status?: number;
  fault?: YtFault;
}
