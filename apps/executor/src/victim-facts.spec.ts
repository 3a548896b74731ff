import { describe, expect, it } from '@jest/globals';
import type { ClusterDriver } from '#clusters';
import { FindVictimFacts } from './victim-facts.js';

const victim = { rank: 1, allocation: 'a', uid: 'u' };
const check = { kind: 'check', victims: [victim], beside: [], queues: ['root.a'] } as never;
const status = { guaranteed: new Map(), running: [] };

describe('the facts of a victim', () => {
  it('are read after the cluster is known, and include reports that were on their way until then', async () => {
    let applied = false;
    const cluster = {
      assertKnown: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        applied = true;
      },
      allocation: async () => (applied ? undefined : { id: 'a' }),
      usage: async () => new Map([['root.a', { usage: { memory: applied ? 1 : 2 }, inFlight: {} }]]),
    } as unknown as ClusterDriver;
    const [facts] = await new FindVictimFacts(cluster).of(
      { partition: 'default', queue: 'root.a' },
      check,
      status,
      false,
    );
    expect(facts).toMatchObject({ allocation: undefined });
    expect(facts && 'queues' in facts && facts.queues.get('root.a')?.usage).toEqual({ memory: 1 });
  });

  it('report why the cluster is not known', async () => {
    const cluster = { assertKnown: () => Promise.reject(new Error('4 reports are not applied yet')) };
    const [facts] = await new FindVictimFacts(cluster as unknown as ClusterDriver).of(
      { partition: 'default', queue: 'root.a' },
      check,
      status,
      false,
    );
    expect(facts).toEqual({ rank: 1, unreachable: '4 reports are not applied yet' });
  });

  it('are unknown while the guarantee of a queue above is unknown, which does not matter to a round', async () => {
    const cluster = { allocation: async () => undefined, usage: async () => new Map() };
    const find = async (isOfRound: boolean) =>
      (
        await new FindVictimFacts(cluster as unknown as ClusterDriver).of(
          { partition: 'default', queue: 'root.a' },
          check,
          { ...status, unknownFloor: 'root' },
          isOfRound,
        )
      )[0];
    expect(await find(false)).toEqual({
      rank: 1,
      unreachable: 'no nodes are known, so the guaranteed amount of root is unknown',
    });
    expect(await find(true)).toMatchObject({ rank: 1, allocation: undefined });
  });
});
