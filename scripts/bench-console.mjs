/**
 * `npm run bench:console`: how fast the console page is, in the browser of this machine. Names select parts (views, memory, pages), a number
 * the minutes for which memory is watched: `npm run bench:console -- memory 60`. docs/explanation/performance.md
 */
import { build } from './steps/build.mjs';
import { install } from './steps/install.mjs';
import { requireNode } from './steps/node-version.mjs';
import { runNode } from './steps/run.mjs';

const progress = (line) => console.log(`curtail: ${line}`);

requireNode();
if (!(await install(progress)) || !(await build(progress))) process.exit(1);
process.exitCode = await runNode('dist/bench/console/main.js', process.argv.slice(2));
