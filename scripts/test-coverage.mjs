/**
 * `npm run test:coverage`: runs the tests that concern the folders that decide about evictions, and prints for each what part of its lines of code
 * was run. It fails if that is less than the goal, or if a test fails. `--lines` also lists the lines that were not. `npm run test:all` does the
 * same on its way.
 */
import { Coverage, coveredLanes } from './steps/coverage.mjs';
import { requireNode } from './steps/node-version.mjs';

requireNode();
const coverage = new Coverage();
let failed = 0;
for (const lane of coveredLanes) failed += (await coverage.runCovered(lane)).failed;
const below = await coverage.report({ listsLines: process.argv.includes('--lines') });
if (failed > 0) console.log(`${failed} failed`);
if (failed > 0 || below.length > 0) process.exitCode = 1;
