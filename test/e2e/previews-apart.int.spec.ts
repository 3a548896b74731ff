import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { HeldThreads } from '../support/held-threads.js';
import { configuration } from '../support/queue-spec.js';
import type { TestPartition } from '../support/test-partition.js';

describe('a preview whose plans take long', () => {
  let system: EmbeddedSystem;
  let partition: TestPartition;
  let held: HeldThreads;
  beforeAll(async () => {
    system = await EmbeddedSystem.start();
  });
  afterAll(() => system.stop());
  beforeEach(async () => {
    held = new HeldThreads();
    system.planPreviewsBy(
      held.program('apps/config-ingest/src/preview/planning-thread'),
      held.program('apps/console/src/explain/given-plan-thread'),
    );
    partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: { memory: 20 } });
  });
  afterEach(() => held.release(1000));

  const untilBegun = (plans: number) =>
    system.until(`plan ${plans} to begin`, async () => held.begun === plans);
  const body = () => configuration(partition.name, { a: { max: { memory: 60 }, delay: '1h' } });
  const preview = () => partition.submit(body(), '?dryRun=true');
  const whatIf = async () => {
    const snapshot = await system.cluster.snapshot({ partition: partition.name });
    return system.request('POST', '/v1/plans/preview', {
      snapshot: { ...snapshot, queues: [{ path: 'root' }, { path: 'root.a', max: { memory: 60 } }] },
      trigger: { policy: 'quota-decrease', queue: 'root.a' },
    });
  };

  it.each([
    ['a dry run', preview, { victims: 2, changed: [{ queue: 'root.a' }] }],
    ['a what-if', whatIf, { victims: [{ rank: 1 }, { rank: 2 }] }],
  ])(
    '%s: holds up neither the kill switch nor anybody else, and is planned like any other',
    async (_, asked, planned) => {
      const answers: string[] = [];
      const answered = asked().then((answer) => {
        answers.push('preview');
        return answer;
      });
      await untilBegun(1);
      const ask = async (what: string, method: string, path: string, content?: unknown) => {
        expect((await system.request(method, path, content)).status).toBeLessThan(300);
        answers.push(what);
      };
      await ask('health', 'GET', '/healthz');
      await ask('stop', 'POST', '/v1/kill-switch', { partition: partition.name, by: 'ann' });
      await ask('resume', 'DELETE', `/v1/kill-switch?partition=${partition.name}&by=ann`);
      held.release(1);
      expect((await answered).body).toMatchObject(planned);
      expect(answers).toEqual(['health', 'stop', 'resume', 'preview']);
    },
  );

  it('is made alone: others wait for their turn', async () => {
    const answers = [preview(), preview(), preview()];
    for (const number of [1, 2, 3]) {
      await untilBegun(number);
      held.release(number);
    }
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(held.mostTogether).toBe(1);
  });

  it('ends when its client leaves, and the next has its turn', async () => {
    const client = new AbortController();
    const left = fetch(`${system.url}/v1/partitions/${partition.name}/config?dryRun=true`, {
      method: 'PUT',
      body: JSON.stringify(body()),
      headers: { 'Content-Type': 'application/json' },
      signal: client.signal,
    });
    await untilBegun(1);
    client.abort();
    await expect(left).rejects.toThrow();
    const next = preview();
    // The first plan is never resumed, and yet the second begins.
    await untilBegun(2);
    held.release(2);
    expect((await next).status).toBe(200);
  });
});
