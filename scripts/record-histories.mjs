/**
 * `node scripts/record-histories.mjs <version>`: has the services of this checkout play the scenes of test/histories/scenes.ts, and
 * writes what they wrote into test/histories/<version>. Once for each release (docs/development.md, "Recorded histories").
 */
import { spawnSync } from 'node:child_process';

const [version, ...others] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version ?? '') || others.length > 0) {
  console.error('usage: node scripts/record-histories.mjs <version>, as in 0.1.0');
  process.exit(2);
}
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    '--testRegex',
    'test/histories/record\\.ts$',
    '--runInBand',
  ],
  { stdio: 'inherit', env: { ...process.env, CURTAIL_TEST_LANE: 'int', CURTAIL_RECORD_HISTORIES: version } },
);
process.exit(status ?? 1);
