import { describe, expect, it } from '@jest/globals';
import type { InventoryStatus } from '#contracts/api';
import { Metrics } from '#platform';
import { SampleInventory } from './samples.js';

const notice = {
  code: 'sequence-rejected',
  message: 'one report had a lower sequence',
  about: { kind: 'partition', name: 'a' },
  remedy: 'continue the sequence',
  since: '2026-11-21T10:00:00.000Z',
  count: 3,
  source: '//scheduler',
} as const;
const status: InventoryStatus = {
  unread: [{ place: 'curtail.inventory/1', reports: 4 }],
  items: ['a', 'b'].map((partition) => ({
    partition,
    known: false,
    source: null,
    lastReportAt: null,
    listedAt: null,
    listedSequence: 0,
    newestSequence: 0,
    held: null,
    notices: [notice],
  })),
};

describe('the sample of the inventory', () => {
  it('sets the gauges each time, and logs each notice of a partition once a minute', async () => {
    const metrics = new Metrics();
    const lines: unknown[][] = [];
    let now = 0;
    let found = status;
    const log = { warn: (...line: unknown[]) => void lines.push(line) } as never;
    const sample = new SampleInventory({ status: async () => found }, metrics.inventory, {
      log,
      logsNotices: true,
      now: () => now,
    });
    await sample.check();
    now = 59_999;
    await sample.check();
    expect(lines.map(([fields]) => fields)).toMatchObject([{ partition: 'a' }, { partition: 'b' }]);
    expect(lines[0]).toEqual([
      expect.objectContaining({
        code: 'sequence-rejected',
        count: 3,
        since: notice.since,
        source: '//scheduler',
      }),
      'One report had a lower sequence. Continue the sequence.',
    ]);
    now = 60_000;
    await sample.check();
    expect(lines).toHaveLength(4);
    const text = await metrics.registry.metrics();
    expect(text).toContain('curtail_inventory_notices{code="sequence-rejected"} 2');
    expect(text).toContain('curtail_inventory_unknown_partitions 2');
    expect(text).toContain('curtail_inventory_unread_reports 4');
    found = { items: [], unread: [] };
    await sample.check();
    expect(await metrics.registry.metrics()).not.toContain('sequence-rejected');
  });
});
