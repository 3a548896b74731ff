import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { columnText, fromColumnText } from './column-text.js';

const readAgain = (elements: unknown[]) => {
  const text = columnText(elements);
  return text === undefined ? undefined : JSON.stringify(fromColumnText(text));
};

describe('columnText', () => {
  it('is read as the same elements, whichever fields they have, in their order', () => {
    const shared = { vcore: 1 };
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(undefined, 'a', 'b', -0, shared));
    const name = fc.oneof(fc.constantFrom('id', 'queue', 'of', 'constructor', '7', 'ä"\n'), fc.string());
    const element = fc
      .array(fc.tuple(name, value), { maxLength: 6 })
      .map((fields) => Object.fromEntries(fields.filter(([field]) => field !== '__proto__')));
    fc.assert(
      fc.property(fc.array(element, { maxLength: 60 }), (elements) => {
        expect(readAgain(elements)).toBe(JSON.stringify(elements));
      }),
    );
  });

  it('has no name twice for elements in the same few sizes and queues', () => {
    const sizes = [{ vcore: 1 }, { vcore: 2 }];
    const elements = Array.from({ length: 100 }, (_, i) => ({
      id: `a-${i}`,
      role: 'task',
      size: sizes[i % 2],
    }));
    expect(readAgain(elements)).toBe(JSON.stringify(elements));
    expect(columnText(elements)!.match(/"(task|role|vcore)"/g)).toHaveLength(5);
  });

  it.each([
    ['something that is no object', [{ a: 1 }, null]],
    ['a list', [[1]]],
    ['an object that writes itself', [new Date(0)]],
    ['a name that is not an ordinary one', [JSON.parse('{"__proto__": 1}')]],
    ['too many sets of fields', Array.from({ length: 65 }, (_, i) => ({ [`field-${i}`]: i }))],
  ])('is not there for %s', (_, elements) => {
    expect(columnText(elements)).toBeUndefined();
  });
});
