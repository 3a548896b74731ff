import { expect, it } from '@jest/globals';
import type { QueueInForce } from '#clusters/planning-view';
import type { PolicySettings } from '#configuration';
import { nodeLabelsProperty } from '#contracts';
import { unenforcedDecreases } from './changes.js';

const queue = (memory: number | null, over: Partial<QueueInForce> = {}): QueueInForce => ({
  ...{ path: 'root.a', guaranteed: null, delayMs: 0, parent: false },
  ...{ max: memory === null ? null : { memory }, ...over },
});
const messages = (before: QueueInForce[], after: QueueInForce[], enabled = true) =>
  unenforcedDecreases(before, { enabled, queues: after }).map(({ path, message }) => `${path}: ${message}`);

it.each([
  ['without a delay', queue(10), true, /^root\.a: nothing will be enforced, because its delay is 0: /],
  ['of a queue that had no max', queue(null), true, /because its delay is 0: /],
  [
    'without a delay and a switch',
    queue(10),
    false,
    /because its delay is 0 and the enforcement of quotas is off/,
  ],
])('warns of a decrease %s', (_, before, enabled, expected) => {
  expect(messages([before], [queue(5)], enabled)).toEqual([expect.stringMatching(expected)]);
});

it('names the switch alone where there is a delay', () => {
  const delayed = { delayMs: 60_000 };
  expect(messages([queue(10)], [queue(5, delayed)], false)).toEqual([
    expect.stringMatching(/because the enforcement of quotas is off in the partition: /),
  ]);
  expect(messages([queue(10)], [queue(5, delayed)])).toEqual([]);
});

it('says nothing of new and raised quotas, nor where node labels say it', () => {
  expect(messages([], [queue(5)])).toEqual([]);
  expect(messages([queue(10)], [queue(20)])).toEqual([]);
  const labelled = { ...queue(null), path: 'root', properties: { [nodeLabelsProperty]: ['gpu'] } };
  expect(messages([queue(10)], [labelled, queue(5)])).toEqual([]);
});

it('names five queues, and counts the others', () => {
  const paths = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `root.${name}`);
  const of = (memory: number) => paths.map((path) => queue(memory, { path }));
  const found = messages(of(10), of(5));
  expect(found).toHaveLength(5);
  expect(found[4]).toMatch(/ The same holds for 2 more lowered queues\.$/);
});

it('says nothing where rounds of fair-share take what is above a limit at once', () => {
  const inTree = (settings: PolicySettings) =>
    unenforcedDecreases([queue(10)], {
      enabled: false,
      queues: [queue(5)],
      policies: { 'fair-share': settings },
    }).map(({ code }) => code);
  expect(inTree({})).toEqual([]);
  expect(inTree({ reasons: ['starvation', 'resource-limits'] })).toEqual([]);
  expect(inTree({ reasons: ['starvation'] })).toEqual(['nothing-enforced']);
});
