import { join } from 'node:path';

const preload = `--import=${join(process.cwd(), 'test/support/skewed-clock.mjs')}`;

/**
 * The environment of a process whose own clock is wrong (skewed-clock.mjs).
 *
 * @param milliseconds ahead of the machine's clock; negative = behind.
 * @param nodeOptions what NODE_OPTIONS is to hold besides.
 */
export function skewedBy(milliseconds: number, nodeOptions = ''): Record<string, string> {
  return {
    CURTAIL_TEST_CLOCK_SKEW_MS: String(milliseconds),
    NODE_OPTIONS: `${preload} ${nodeOptions}`.trim(),
  };
}
