import { describe, expect, it } from '@jest/globals';
import type { Logged } from '../audit/history.js';
import { acceptedAreOnRecord, repetitionsIn, wireHoldsTheLog } from './checks.js';
import type { OnTheWire } from './wire.js';

function changed(id: string, queue: string, max: number): Logged {
  const data = { queue, previous: { max: { memory: 9 } }, current: { max: { memory: max } } };
  return { id, topic: 'curtail.quota', key: queue, name: 'QuotaChanged', data } as unknown as Logged;
}

function message(id: string | undefined, offset: number, partition = 0, topic = 'curtail.quota'): OnTheWire {
  return { topic, partition, id, message: { offset: String(offset) } as OnTheWire['message'] };
}

const log = [changed('1', 'root.a', 8), changed('2', 'root.b', 8), changed('3', 'root.a', 7)];

describe('the decreases that were accepted', () => {
  const accepted = [{ number: 1, queue: 'root.a', max: 7 }];
  it('are on record', () => {
    expect(acceptedAreOnRecord({ log }, accepted)).toEqual([]);
  });

  it.each([
    ['lost', log.slice(0, 2), 0],
    ['on record twice', [...log, changed('4', 'root.a', 7)], 2],
  ])('are found when one is %s', (_what, wrong, times) => {
    expect(acceptedAreOnRecord({ log: wrong }, accepted)).toEqual([
      `decrease 1, of root.a to 7, was accepted and is ${times} times on record`,
    ]);
  });
});

describe('the messages on the topics', () => {
  const right = [message('1', 0), message('2', 0, 1), message('3', 1)];

  it('hold the log, also with repetitions and with what others send', () => {
    const more = [...right, message('1', 2), message(undefined, 3), message('9', 4)];
    expect(wireHoldsTheLog({ log }, more)).toEqual([]);
    expect(repetitionsIn(more)).toBe(1);
  });

  it.each([
    ['is missing', right.slice(0, 2), /QuotaChanged 3 is on record and not on its topic/],
    [
      'lies only among dead letters',
      [...right.slice(0, 2), message('3', 0, 0, 'curtail.dead-letters')],
      /not on its/,
    ],
    ['came before what it follows', [message('3', 0), message('1', 1), message('2', 0, 1)], /came before/],
    [
      'is in another partition than its key',
      [message('1', 0), message('2', 0, 1), message('3', 1, 1)],
      /is in/,
    ],
  ])('are found when one %s', (_what, wrong, finding) => {
    expect(wireHoldsTheLog({ log }, wrong)).toEqual([expect.stringMatching(finding)]);
  });
});
