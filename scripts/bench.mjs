/**
 * `npm run bench`: how fast it is, beside what it should be. `npm run bench -- planning realistic cliffs care fair-share rounds cli start timers idle replay kubernetes` picks parts; `kubernetes` is measured only when it is named.
 * Figures are for people: a target that is missed is no failure. docs/explanation/performance.md
 */
import { build } from './steps/build.mjs';
import { install } from './steps/install.mjs';
import { requireNode } from './steps/node-version.mjs';
import { runNode } from './steps/run.mjs';

const progress = (line) => console.log(`curtail: ${line}`);

requireNode();
if (!(await install(progress)) || !(await build(progress))) process.exit(1);
process.exitCode = await runNode('dist/bench/main.js', process.argv.slice(2));
