import { describe, it } from '@jest/globals';
import { expectPatched } from '../../../../test/support/patched-library.js';

describe('the patches of pg', () => {
  it('were checked with the version that is installed', () => {
    expectPatched('pg', '8.23.1', 'libs/event-store/src/pg-patches/README.md');
  });
});
