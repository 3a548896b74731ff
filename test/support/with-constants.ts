import { join } from 'node:path';
import type { CurtailSettings } from '#runtime';

const preload = `--import=${join(process.cwd(), 'test/support/other-constants.mjs')}`;

/**
 * The environment of a process of its own in which settings that are constants have other values (other-constants.mjs).
 *
 * @param nodeOptions what NODE_OPTIONS is to hold besides.
 */
export function withConstants(values: Partial<CurtailSettings>, nodeOptions = '') {
  return {
    CURTAIL_TEST_CONSTANTS: JSON.stringify(values),
    NODE_OPTIONS: `${preload} ${nodeOptions}`.trim(),
  };
}
