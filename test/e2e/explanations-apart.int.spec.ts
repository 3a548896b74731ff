import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Plan } from '#contracts';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { HeldThreads } from '../support/held-threads.js';
import type { TestPartition } from '../support/test-partition.js';

describe('an explanation whose plan takes long to make again', () => {
  let system: EmbeddedSystem;
  let partition: TestPartition;
  let enforcement: string;
  let held: HeldThreads;
  beforeAll(async () => {
    system = await EmbeddedSystem.start();
    partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: { memory: 20 } });
    await partition.configure({ a: { max: { memory: 200 }, delay: '60ms' } });
    await partition.configure({ a: { max: { memory: 60 }, delay: '60ms' } });
    enforcement = (await partition.ended('root.a')).data.enforcement;
    await partition.handled();
  });
  afterAll(() => system.stop());
  beforeEach(() => {
    held = new HeldThreads();
    system.explainBy(held.program('apps/console/src/replay/remake/remaking-thread'));
  });
  afterEach(() => held.release(1000));

  const untilBegun = (plans: number) =>
    system.until(`plan ${plans} to begin`, async () => held.begun === plans);
  const path = () => `/v1/enforcements/${enforcement}/explanation`;
  const explain = () => system.request('GET', path());

  it('holds up neither a stop nor anybody else, and comes to the same', async () => {
    const answers: string[] = [];
    const answered = explain().then((answer) => {
      answers.push('explanation');
      return answer;
    });
    await untilBegun(1);
    const ask = async (what: string, method: string, to: string, content?: unknown) => {
      expect((await system.request(method, to, content)).status).toBeLessThan(300);
      answers.push(what);
    };
    await ask('stop', 'POST', '/v1/kill-switch', { partition: partition.name, by: 'ann' });
    await ask('resume', 'DELETE', `/v1/kill-switch?partition=${partition.name}&by=ann`);
    held.release(1);
    const { status, body } = (await answered) as unknown as { status: number; body: { plan: Plan } };
    expect(status).toBe(200);
    expect(body).toMatchObject({ replayable: true });
    expect(body.plan.victims).toHaveLength(2);
    expect(body.plan.spared).toHaveLength(3);
    expect(answers).toEqual(['stop', 'resume', 'explanation']);
  });

  it('ends when its client leaves, and the next has its turn', async () => {
    const client = new AbortController();
    const left = fetch(`${system.url}${path()}`, { signal: client.signal });
    await untilBegun(1);
    client.abort();
    await expect(left).rejects.toThrow();
    const next = explain();
    // The first plan is never resumed, and yet the second begins.
    await untilBegun(2);
    held.release(2);
    expect((await next).status).toBe(200);
  });

  it('of an allocation passes over plans that are too large, and names them', async () => {
    held.release(1000);
    const run = (await explain()).body as { plan: Plan; snapshotDigest: string };
    const allocation: string = run.plan.spared![0]!.allocation;
    const of = () => system.get(`/v1/allocations/${allocation}/explanation?partition=${partition.name}`);
    expect(await of()).toMatchObject({ spared: [{ enforcement }] });
    await system.db.query('UPDATE snapshots SET bytes = $2 WHERE digest = $1', [
      run.snapshotDigest,
      64 << 20,
    ]);
    const made = held.begun;
    expect(await of()).toMatchObject({ spared: [], tooLarge: [enforcement] });
    expect(held.begun).toBe(made);
  });
});
