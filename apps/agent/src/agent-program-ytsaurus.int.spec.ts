import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeYtsaurus, YtFault } from '../../../test/clusters/ytsaurus/fake-ytsaurus.js';
import type { FakeJob, FakeOperation } from '../../../test/clusters/ytsaurus/world.js';
import { AgentsOverKafka } from '../../../test/support/agents-over-kafka.js';

const node = { cpu: 10, memory: 1000, user_slots: 10 };

/** Agents of YTsaurus in their own processes, with the fake of its API. */
describe('agents of YTsaurus', () => {
  let fake: FakeYtsaurus;
  let folder: string;
  let agents: AgentsOverKafka;
  const operations: Record<string, FakeOperation> = {};
  beforeEach(async () => {
    fake = await new FakeYtsaurus().up();
    for (const tree of ['physical', 'gpu']) {
      fake.world.addTree(tree);
      fake.world.addPool(tree, 'prod');
      fake.world.addNode(`${tree}:9012`, node, tree);
      operations[tree] = fake.world.addOperation({
        ...{ tree, pool: 'prod', job: { cpu: 1 }, pending: 3, retries: false, finishesAfterMs: 1_000_000 },
      });
    }
    folder = await mkdtemp(join(tmpdir(), 'curtail-test-ytsaurus-'));
    await writeFile(join(folder, 'token'), 't\n');
    agents = await AgentsOverKafka.open();
  });
  afterEach(async () => {
    await agents.close();
    await fake.down();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (tree?: string) =>
    agents.start({
      CURTAIL_AGENT_CLUSTER: 'ytsaurus',
      CURTAIL_YTSAURUS_URL: fake.url,
      CURTAIL_YTSAURUS_TOKEN_FILE: join(folder, 'token'),
      ...(tree !== undefined && { CURTAIL_YTSAURUS_TREE: tree }),
    });
  const jobsOf = (tree: string) =>
    fake.world.running(operations[tree] as FakeOperation) as [FakeJob, FakeJob];
  const ask = (tree: string, job: FakeJob, attempt = 1) =>
    agents.ask(
      [job.id],
      { partition: tree, queue: 'root.prod', application: job.operation },
      { attempt, graceSeconds: 0 },
    );

  it('report their trees, each in a group of its name, and interrupt the jobs that are asked for', async () => {
    const [physical, gpu] = await Promise.all([start('physical'), start('gpu')]);
    await physical.logged(/on standby in the group \S*agent-physical\.active/);
    await gpu.logged(/on standby in the group \S*agent-gpu\.active/);
    await Promise.all(['physical', 'gpu'].map((tree) => agents.listed(tree)));
    expect(agents.listings().find(({ partition }) => partition === 'gpu')).toMatchObject({
      allocations: { length: 3 },
      last: true,
    });
    expect((await fetch(`${gpu.url}/readyz`)).status).toBe(200);
    const [one] = jobsOf('physical');
    const [other] = jobsOf('gpu');
    await ask('physical', one);
    await ask('gpu', other);
    await agents.answered(one.id);
    await agents.answered(other.id);
    expect(agents.answers().map(({ answer }) => answer)).toEqual(['accepted', 'accepted']);
    expect(fake.callsOf('abort_job')).toHaveLength(2);
    expect(await gpu.stop()).toBe(0);
  });

  it('wait for a proxy that is down, and take the default tree once it answers', async () => {
    fake.trouble = () => ({ fault: new YtFault(105, 'Proxy is not available', [], 503) });
    const agent = await start();
    await agent.logged(/Could not read the pool trees of YTsaurus/);
    const ready = await fetch(`${agent.url}/readyz`);
    expect({ status: ready.status, text: await ready.text() }).toEqual({
      status: 503,
      text: expect.stringContaining('ytsaurus'),
    });
    fake.world.trees.delete('gpu');
    fake.trouble = () => undefined;
    await agent.logged(/agent-physical\.active/);
    await agents.listed('physical');
  });

  it('that were killed before the answer came repeat the interrupt under the same mutation id', async () => {
    const first = await start('physical');
    await agents.listed('physical');
    const [job, ended] = jobsOf('physical');
    const asked = new Promise<void>((resolve) => {
      fake.trouble = ({ command }) => {
        if (command !== 'abort_job') return undefined;
        if (fake.callsOf('abort_job').length === 2) resolve();
        return { instead: () => {} };
      };
    });
    await ask('physical', job);
    await ask('physical', ended);
    await asked;
    // Both were carried out: the one finishes its row, the other has done so.
    fake.world.interrupt(job, 1_000_000);
    fake.world.endJob(ended, 'completed');
    await first.kill();
    fake.trouble = () => undefined;
    await start('physical');
    await ask('physical', job, 2);
    await ask('physical', ended, 2);
    await agents.answered(job.id);
    await agents.answered(ended.id);
    const calls = fake.callsOf('abort_job').filter(({ job_id }) => job_id === job.id);
    expect(new Set(calls.map(({ mutation_id }) => mutation_id)).size).toBe(1);
    expect(calls.at(-1)).toMatchObject({ interrupt_timeout: 10_000 });
    expect(new Set(fake.callsOf('abort_job').map(({ job_id }) => job_id))).toEqual(
      new Set([job.id, ended.id]),
    );
    expect(fake.world.running(operations.physical as FakeOperation)).toHaveLength(2);
  });
});
