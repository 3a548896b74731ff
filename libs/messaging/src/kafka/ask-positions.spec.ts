import { describe, expect, it } from '@jest/globals';
import { type GroupPosition, hasRead, type PartitionPosition, whatHappened } from './ask-positions.js';

const at = (committed: number | undefined, low: number, high: number): PartitionPosition => ({
  committed: committed === undefined ? undefined : BigInt(committed),
  low: BigInt(low),
  high: BigInt(high),
});
const topic = (...partitions: PartitionPosition[]): GroupPosition =>
  new Map([['t', new Map(partitions.entries())]]);
const none: GroupPosition = new Map();

describe('hasRead', () => {
  it.each<[string, boolean, GroupPosition, GroupPosition]>([
    ['all of it', true, topic(at(3, 0, 5)), topic(at(5, 0, 5))],
    ['what stood there, and not what came since', true, topic(at(3, 0, 5)), topic(at(5, 0, 9))],
    ['all but one message', false, topic(at(3, 0, 5)), topic(at(4, 0, 5))],
    ['one partition of two', false, topic(at(5, 0, 5), at(0, 0, 2)), topic(at(5, 0, 5), at(1, 0, 2))],
    ['nothing yet', false, topic(at(undefined, 0, 5)), topic(at(undefined, 0, 5))],
    ['nothing, where there was nothing', true, topic(at(undefined, 0, 0)), topic(at(undefined, 0, 0))],
    ['nothing of what was deleted', true, topic(at(2, 0, 5)), topic(at(2, 5, 5))],
    ['a part of what was deleted in part', false, topic(at(2, 0, 5)), topic(at(2, 4, 5))],
    ['a topic that is gone', true, topic(at(2, 0, 5)), none],
    ['a topic that was created again and is empty', true, topic(at(2, 0, 5)), topic(at(undefined, 0, 0))],
    [
      'a topic that was created again and has messages',
      false,
      topic(at(2, 0, 5)),
      topic(at(undefined, 0, 3)),
    ],
    ['offsets that were moved behind the end', true, topic(at(2, 0, 5)), topic(at(9, 0, 5))],
    ['offsets that were moved back', false, topic(at(5, 0, 5)), topic(at(0, 0, 5))],
  ])('%s: %s', (_what, expected, measured, now) => {
    expect(hasRead(measured, now)).toBe(expected);
  });
});

describe('whatHappened', () => {
  it.each([
    ['missing', topic(at(1, 0, 5)), none],
    ['created-again', topic(at(5, 0, 5)), topic(at(undefined, 0, 2))],
    ['created-again', topic(at(5, 0, 5), at(5, 0, 5)), topic(at(5, 0, 5))],
    ['skipped', topic(at(1, 0, 5)), topic(at(5, 5, 5))],
    ['skipped', none, topic(at(5, 0, 5))],
  ] as const)('%s', (expected, before, now) => {
    expect(whatHappened('t', before, now)).toBe(expected);
  });
});
