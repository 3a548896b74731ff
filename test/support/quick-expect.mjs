import { compileFunction } from 'node:vm';

/** What of each matcher can be told at once; of anything else jest's own decides. */
const passes = {
  toBe: (actual, expected) => Object.is(actual, expected),
  toEqual: (actual, expected) => isPrimitive(expected) && Object.is(actual, expected),
  toContain: (actual, expected) => Array.isArray(actual) && actual.indexOf(expected) >= 0,
  toBeGreaterThan: (actual, expected) => areNumbers(actual, expected) && actual > expected,
  toBeGreaterThanOrEqual: (actual, expected) => areNumbers(actual, expected) && actual >= expected,
  toBeLessThan: (actual, expected) => areNumbers(actual, expected) && actual < expected,
  toBeLessThanOrEqual: (actual, expected) => areNumbers(actual, expected) && actual <= expected,
};
const isPrimitive = (value) => value === null || !['object', 'function'].includes(typeof value);
const areNumbers = (one, other) => typeof one === 'number' && typeof other === 'number';

/** Like those of all packages its frames are left out of the traces that jest shows. */
const getterOf = compileFunction(
  'return function () { return expect(this.actual)[name]; };',
  ['expect', 'name'],
  { filename: '/node_modules/expect/quick-expect.js' },
);

/**
 * The `expect` of jest makes each of its matchers six times for each value, in some 40 µs: most of the time of property tests. This one
 * makes them only if another matcher than these is asked for, or one of these does not pass: jest's own states what is wrong.
 */
export function quickExpect(expect) {
  const quick = {};
  for (const name of Object.keys(expect(undefined))) {
    const pass = passes[name];
    Object.defineProperty(quick, name, pass ? { value: matcher } : { get: getterOf(expect, name) });

    function matcher(...expected) {
      if (expected.length !== 1 || !pass(this.actual, expected[0]))
        return stated(() => expect(this.actual)[name](...expected), matcher);
      const state = expect.getState();
      state.assertionCalls++;
      state.numPassingAsserts++;
    }
  }
  return new Proxy(expect, {
    apply(_expect, _this, words) {
      if (words.length !== 1) return expect(...words);
      const one = Object.create(quick);
      one.actual = words[0];
      return one;
    },
  });
}

/** Its error begins where the test has called the matcher. */
function stated(work, matcher) {
  try {
    return work();
  } catch (error) {
    Error.captureStackTrace(error, matcher);
    throw error;
  }
}
