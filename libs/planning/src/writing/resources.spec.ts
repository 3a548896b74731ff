import { expect, it } from '@jest/globals';
import { resourcesOf } from './resources.js';

it('writes amounts as an object without zeros, also of a type named like a property of every object', () => {
  const names = ['__proto__', 'constructor', 'memory', 'vcore'];
  const amounts = resourcesOf(names, (place) => [7, 8, 9, 0][place]!);
  expect(JSON.stringify(amounts)).toBe('{"__proto__":7,"constructor":8,"memory":9}');
  expect(Object.getPrototypeOf(amounts)).toBe(Object.prototype);
});
