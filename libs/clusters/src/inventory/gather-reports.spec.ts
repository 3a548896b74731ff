import { describe, expect, it } from '@jest/globals';
import { gatherReports, type InventoryReport } from './gather-reports.js';

const released = (data: { partition: string; id: string; uid: string; sequence: number }, source?: string) =>
  ({ name: 'AllocationReleased', data, time: new Date(0), source }) as unknown as InventoryReport;

describe('reports of a batch', () => {
  it('are of one partition, however its name is written, and of one cluster', () => {
    const gathered = gatherReports([
      released({ partition: 'P', id: 'a', uid: '1', sequence: 1 }, '/clusters/east/agent'),
      released({ partition: 'p', id: 'b', uid: '1', sequence: 2 }, '/clusters/east/agent'),
      released({ partition: 'p', id: 'c', uid: '1', sequence: 3 }, '/clusters/west/agent'),
      released({ partition: 'p', id: 'd', uid: '1', sequence: 4 }),
      released({ partition: 'P', id: 'e', uid: '1', sequence: 5 }, '/somebody'),
    ]);
    expect(
      gathered.map(({ partition, allocations }) => [partition, ...allocations.map(({ id }) => id)]),
    ).toEqual([
      ['p', 'a', 'b'],
      ['p', 'c'],
      ['p', 'd', 'e'],
    ]);
  });

  it('keep the newest of each incarnation, and take no two for the same', () => {
    const [gathered] = gatherReports([
      released({ partition: 'p', id: 'a', uid: 'bc', sequence: 3 }),
      released({ partition: 'p', id: 'ab', uid: 'c', sequence: 2 }),
      released({ partition: 'p', id: 'a', uid: 'bc', sequence: 1 }),
      released({ partition: 'p', id: '1 a', uid: 'b', sequence: 4 }),
    ]);
    expect(gathered!.allocations.map(({ id, uid, sequence }) => [id, uid, sequence])).toEqual([
      ['a', 'bc', 3],
      ['ab', 'c', 2],
      ['1 a', 'b', 4],
    ]);
  });
});
