import { describe, expect, it } from '@jest/globals';
import { things } from './index.js';

describe('lists of things', () => {
  it('name partitions whole in every table', () => {
    const partitions = Object.values(things).flatMap(({ columns }) =>
      columns.filter(({ title }) => title === 'PARTITION'),
    );
    expect(partitions.length).toBeGreaterThan(3);
    for (const { holds } of partitions) expect(holds).toBe('ids');
  });
});
