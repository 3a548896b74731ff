import { InputError } from '@curtail/contracts';
import { describe, expect, it } from '@jest/globals';
import { listQuery, numberedPlace, timedNext, timedPlace } from './list-query.js';

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
