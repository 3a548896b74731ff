import { describe, it } from '@jest/globals';
import { expectPatched } from '../../../../../test/support/patched-library.js';

describe('the internals of @kubernetes/client-node that are used', () => {
  it('were checked with the version that is installed', () => {
    expectPatched(
      '@kubernetes/client-node',
      '1.4.0',
      'libs/agents/src/kubernetes/client-node-patches/README.md',
    );
  });
});
