import { expect, it } from '@jest/globals';
import { applicationsOf } from './applications-of.js';

it('adds up what the allocations of an application have, the largest first', () => {
  const of = (application: string, memory: number, startedAt?: string) => ({
    application,
    resources: { memory },
    startedAt,
  });
  expect(
    applicationsOf([
      of('a', 1, '2026-01-02'),
      of('b', 2),
      of('b', 3, '2026-01-03'),
      of('b', 4, '2026-01-01'),
    ]),
  ).toEqual([
    { application: 'b', allocations: 3, resources: { memory: 9 }, startedAt: '2026-01-01' },
    { application: 'a', allocations: 1, resources: { memory: 1 }, startedAt: '2026-01-02' },
  ]);
});
