import { describe, expect, it } from '@jest/globals';
import { InputError } from '#contracts';
import { listQuery, numberedPlace, timedNext, timedPlace, typesOfEvent } from './list-query.js';

const refusing = (path: string, right = '') =>
  expect.objectContaining({
    name: 'RefusedInput',
    errors: [{ path, message: expect.stringContaining(right) }],
  }) as unknown as Error;

describe('listQuery', () => {
  it('fills in the partition and the limit', () => {
    expect(listQuery('queues', {})).toEqual({ partition: 'default', limit: 100 });
  });

  it.each([
    [{ limit: '0' }, 'query.limit'],
    [{ limit: '1.5' }, 'query.limit'],
    [{ since: '2026-11-21' }, 'query.since'],
    [{ partition: '' }, 'query.partition'],
    [{ queue: ['root.a', 'root.b'] }, 'query.queue'],
    [{ after: '' }, 'query.after'],
    [{ qeue: 'root.a' }, 'query.qeue'],
  ])('refuses %j and names the parameter', (query, path) => {
    expect(() => listQuery('events', query)).toThrow(refusing(path));
  });

  it('has the filters of this list', () => {
    expect(listQuery('enforcements', { state: 'waiting', policy: 'fair-share' })).toMatchObject({
      state: 'waiting',
      policy: 'fair-share',
    });
    expect(listQuery('events', { type: 'VictimEvicted' })).toMatchObject({ type: 'VictimEvicted' });
    expect(listQuery('timers', { state: 'suspended' })).toMatchObject({ state: 'suspended' });
    expect(listQuery('replays', { state: 'interrupted' })).toMatchObject({ state: 'interrupted' });
  });

  it.each([
    ['enforcements', { state: 'asleep' }, 'query.state', 'scheduled'],
    ['timers', { state: 'ended' }, 'query.state', 'suspended'],
    ['plans', { policy: 'unfair-share' }, 'query.policy', 'fair-share'],
    ['events', { type: 'VictimEaten' }, 'query.type', 'VictimEvicted'],
    ['events', { type: 'VictimEvictd' }, 'query.type', 'did you mean VictimEvicted?'],
    ['rounds', { kind: 'x' }, 'query.kind', 'known are partition, policy'],
  ] as const)('refuses for %s %j, and names what would be right', (list, query, path, right) => {
    expect(() => listQuery(list, query)).toThrow(refusing(path, right));
  });

  it.each([
    ['enforcements', { type: 'VictimEvicted' }],
    ['queues', { since: '2026-11-21T10:00:00Z' }],
    ['rounds', { queue: 'root.a' }],
    ['replays', { partition: 'default' }],
  ] as const)('refuses for %s the filter of another list: %j', (list, query) => {
    expect(() => listQuery(list, query)).toThrow(refusing(`query.${Object.keys(query)[0]}`));
  });
});

it('takes the type of an event by its name or as it is', () => {
  expect(typesOfEvent('VictimEvicted')).toEqual(['io.curtail.victim.evicted.v1']);
  expect(typesOfEvent('io.curtail.victim.evicted.v1')).toEqual(['io.curtail.victim.evicted.v1']);
  expect(typesOfEvent('io.other.v1')).toEqual(['io.other.v1']);
  const opened = 'io.curtail.enforcement.opened.v1';
  for (const one of ['EnforcementOpened', opened]) expect(typesOfEvent(one)).toEqual([opened]);
});

describe('a place in a list', () => {
  it('ordered by time is found again, whatever the name holds', () => {
    const at = new Date('2026-11-21T10:00:00.123Z');
    for (const name of ['root.a', 'root.a~b', 'root.ä:#/@-']) {
      expect(timedPlace(timedNext(at, name))).toEqual({ at: at.toISOString(), name });
    }
    expect(timedPlace(undefined)).toBeUndefined();
  });

  it.each(['root.a', '~root.a', '2026-11-21T10:00:00.123Z~', '2026-99-21T10:00:00.123Z~root.a', '5'])(
    'ordered by time is not %j',
    (after) => expect(() => timedPlace(after)).toThrow(InputError),
  );

  it('ordered by number is a number', () => {
    expect(numberedPlace('15')).toBe('15');
    expect(numberedPlace(undefined)).toBeUndefined();
    for (const after of ['-1', '1.5', '1e3', 'here', '9'.repeat(19)]) {
      expect(() => numberedPlace(after)).toThrow(InputError);
    }
  });
});
