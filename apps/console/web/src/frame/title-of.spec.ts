import { expect, it } from '@jest/globals';
import { titleOf } from './title-of.js';

const labels = [
  { to: '/', label: 'Overview' },
  { to: '/runs', label: 'Runs' },
];

it.each([
  ['/', 'Overview – Curtail'],
  ['/runs', 'Runs – Curtail'],
  ['/runs/e-1', 'Run e-1 – Curtail'],
  ['/queues/root.a%20b', 'root.a b – Curtail'],
  ['/queues/100%', '100% – Curtail'],
  ['/nowhere', 'Curtail'],
])('of %s is %s', (pathname, title) => {
  expect(titleOf(pathname, labels)).toBe(title);
});
