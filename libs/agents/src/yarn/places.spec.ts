import { expect, it } from '@jest/globals';
import type { YarnQueue } from './answers.js';
import { ApplicationQueues } from './places.js';

const queue = (path: string, isAutoCreated = false): YarnQueue => ({
  path,
  isAutoCreated,
  isLeaf: true,
  guaranteed: undefined,
  max: undefined,
  isPreemptionDisabled: false,
});
const places = new ApplicationQueues([
  queue('root'),
  queue('root.Prod'),
  queue('root.prod.alice', true),
  queue('root.dev'),
  queue('root.dev.x'),
  queue('root.prod.x'),
]);

it.each([
  ['root.Prod', 'root.prod'],
  ['root.prod.alice', 'root.prod'],
  ['root.prod.unheard-of', 'root.prod'],
  ['dev', 'root.dev'],
  ['x', 'root'],
])('%s counts in %s', (written, path) => {
  expect(places.of(written)).toBe(path);
});
