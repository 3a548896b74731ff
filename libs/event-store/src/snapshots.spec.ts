import { describe, expect, it } from '@jest/globals';
import type { ClusterSnapshot } from '#contracts';
import { packListAhead, packSnapshot, unpackSnapshot } from '#event-store';

const allocationsOf = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `a-${i}`, resources: { vcore: i } }));
const snapshotOf = (allocations: object[]) =>
  ({
    takenAt: '2026-11-20T10:00:00.000Z',
    partition: 'p',
    allocations,
    queues: [],
  }) as unknown as ClusterSnapshot;

describe('a list that was packed ahead', () => {
  it('is taken piece by piece where nothing has changed, and gives the same digest', async () => {
    const before = allocationsOf(60_000);
    await packListAhead(before);
    const after = [...before];
    after.splice(20_000, 1);
    after[40_000] = { id: 'a-changed', resources: { vcore: 1 } };
    const snapshot = snapshotOf(after);
    const [packed, again] = [await packSnapshot(snapshot), await packSnapshot(snapshot)];
    const bodies = (await packed.chunks).map(({ body }) => body);
    const kept = (await again.chunks).filter(({ body }) => bodies.includes(body));
    // Not the text around the list, nor the pieces of the changes.
    expect(kept.length).toBeGreaterThanOrEqual(6);
    expect(kept.length).toBeLessThan(bodies.length - 2);

    const fresh = await packSnapshot(structuredClone(snapshot));
    expect(packed).toMatchObject({ digest: fresh.digest, bytes: fresh.bytes });
    expect(await unpackSnapshot(await packed.chunks, packed.digest)).toEqual(snapshot);
  });
});
