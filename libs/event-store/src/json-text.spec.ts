import { describe, expect, it } from '@jest/globals';
import { jsonOf, keptJsonOf } from './json-text.js';

describe('jsonOf', () => {
  it('writes what JSON.stringify writes, with a part that was kept and without', () => {
    const plan = { victims: [{ id: 'ä"\n' }], absent: undefined };
    const data = {
      queue: 'root',
      at: new Date(0),
      absent: undefined,
      nothing: null,
      plan,
      'a"b': [undefined],
    };
    expect(jsonOf(data)).toBe(JSON.stringify(data));
    expect(keptJsonOf(plan).toString()).toBe(JSON.stringify(plan));
    expect(jsonOf(data).toString()).toBe(JSON.stringify(data));
    expect(jsonOf({ plan }).toString()).toBe(JSON.stringify({ plan }));
  });

  it('does not write a part a second time', () => {
    let written = 0;
    const plan = {
      get victims() {
        written += 1;
        return [];
      },
    };
    keptJsonOf(plan);
    expect(jsonOf({ plan }).toString()).toBe('{"plan":{"victims":[]}}');
    expect(written).toBe(1);
  });
});
