import { describe, it } from '@jest/globals';
import { expectPatched } from '../../../../../test/support/patched-library.js';

describe('the patch of BullMQ', () => {
  it('was checked with the version that is installed', () => {
    expectPatched('bullmq', '6.7.0', 'libs/timers/src/postgres/bullmq-patches/README.md');
  });
});
