import { describe, it } from '@jest/globals';
import { expectPatched } from '../../../../../test/support/patched-library.js';

describe('the patches of kafkajs', () => {
  it('were checked with the version that is installed', () => {
    expectPatched('kafkajs', '2.2.4', 'libs/messaging/src/kafka/kafkajs-patches/README.md');
  });
});
