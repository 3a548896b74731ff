import { describe, it } from '@jest/globals';
import { expectPatched } from '../patched-library.js';

describe('the patches of jest', () => {
  it.each(['jest-runtime', 'jest-mock', '@jest/fake-timers', 'expect'])(
    'were checked with the version of %s that is installed',
    (name) => expectPatched(name, '30.5.2', 'test/support/jest-patches/README.md'),
  );
});
