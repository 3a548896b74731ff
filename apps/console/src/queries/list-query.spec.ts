import { InputError } from '@curtail/contracts';
import { describe, expect, it } from '@jest/globals';
import { filteredQuery, listQuery, numberedPlace, timedNext, timedPlace } from './list-query.js';

describe('listQuery', () => {
  it('fills in the partition and the limit', () => {
    expect(listQuery({})).toEqual({ partition: 'default', limit: 100 });
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
    expect(() => listQuery(query)).toThrow(InputError);
    expect(() => listQuery(query)).toThrow(expect.objectContaining({ path }));
  });
});

describe('filteredQuery', () => {
  it('has the filters of this list, by their short names too', () => {
    expect(filteredQuery({ state: 'waiting', policy: 'fair-share' }, 'state', 'policy')).toMatchObject({
      state: 'waiting for approval',
      policy: 'fair-share',
    });
    expect(filteredQuery({ type: 'VictimEvicted' }, 'type')).toMatchObject({
      type: 'io.curtail.victim.evicted.v1',
    });
    expect(filteredQuery({}, 'state')).toEqual(listQuery({}));
  });

  it.each([
    [{ state: 'asleep' }, 'query.state', 'scheduled'],
    [{ policy: 'unfair-share' }, 'query.policy', 'fair-share'],
    [{ type: 'VictimEaten' }, 'query.type', 'VictimEvicted'],
    [{ kind: 'x' }, 'query.kind', 'there are partition, queue, since, limit, state, policy, type and after'],
  ])('refuses %j, and names what would be right', (query, path, right) => {
    expect(() => filteredQuery(query, 'state', 'policy', 'type')).toThrow(
      expect.objectContaining({ path, message: expect.stringContaining(right) }),
    );
  });

  it('refuses the filter of another list', () => {
    expect(() => filteredQuery({ type: 'VictimEvicted' }, 'state')).toThrow(
      expect.objectContaining({ path: 'query.type' }),
    );
  });
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
