import { compileFunction } from 'node:vm';

/** When each of these matchers passes for certain; jest's own decide about everything else. */
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

/** Some errors of jest's own begin their trace in this getter. Jest leaves out frames of packages, and the file name makes this one. */
const getterOf = compileFunction(
  'return function () { return expect(this.actual)[name]; };',
  ['expect', 'name'],
  { filename: '/node_modules/expect/quick-expect.js' },
);

/**
 * The `expect` of jest makes each of its matchers six times for each value, in some 40 µs: most of the time of property tests. This one
 * makes them only for other matchers than the simplest, or if a simple one does not pass, since jest's own states what is wrong.
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

/** Calls jest's own matcher; the trace of its error begins at the call in the test. */
function stated(work, matcher) {
  try {
    return work();
  } catch (error) {
    Error.captureStackTrace(error, matcher);
    throw error;
  }
}
