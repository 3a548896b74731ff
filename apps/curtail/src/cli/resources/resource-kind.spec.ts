import { describe, expect, it } from '@jest/globals';
import { resourceKinds } from './index.js';

describe('resource kinds', () => {
  const titled = (...titles: string[]) =>
    Object.values(resourceKinds).flatMap(({ columns }) =>
      columns.filter(({ title }) => titles.includes(title)),
    );

  it('name partitions and codes whole in every table', () => {
    const found = titled('PARTITION', 'CODE');
    expect(found.length).toBeGreaterThan(4);
    for (const { holds } of found) expect(holds).toBe('ids');
  });

  it('neither cut nor wrap a time', () => {
    const found = titled('WHEN', 'STARTED', 'CHANGED', 'MADE').filter(({ wide }) => !wide);
    expect(found.length).toBeGreaterThan(5);
    for (const { holds } of found) expect(holds).toBe('times');
  });
});
