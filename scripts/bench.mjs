/**
 * `npm run bench`: how fast it is, beside what it should be. `npm run bench -- planning realistic cliffs care fair-share rounds cli start timers brake idle replay chain intake kubernetes yarn ytsaurus kafka-clients` picks parts; `intake`, `kubernetes` and `kafka-clients` are measured only when they are named.
 * Figures are for people: a target that is missed is no failure. docs/explanation/performance.md
 */
import { build } from './steps/build.mjs';
import { install } from './steps/install.mjs';
import { requireNode } from './steps/node-version.mjs';
import { run } from './steps/run.mjs';

const progress = (line) => console.log(`curtail: ${line}`);

requireNode();
if (!(await install(progress)) || !(await build(progress))) process.exit(1);
// As the image runs services.
const options = ['--max-semi-space-size=32'];
const words = process.argv.slice(2);
const others = words.filter((word) => word !== 'intake' && word !== '--small');
// It measures services on servers of their own, as `npm run bench:distributed` does.
const ofServices = words.includes('intake') ? words.filter((word) => !others.includes(word)) : [];
if (ofServices.length > 0)
  process.exitCode = await run(process.execPath, ['scripts/bench-distributed.mjs', ...ofServices]);
if (ofServices.length === 0 || others.length > 0)
  process.exitCode ||= await run(process.execPath, [...options, 'dist/bench/main.js', ...others]);
