/**
 * `npm start`: on a fresh clone, installs and builds; then starts Curtail in one process, with what
 * follows `npm start --` as its options. Run again, it goes straight to the start, and needs no network.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './steps/build.mjs';
import { endWithNpm } from './steps/end-with-npm.mjs';
import { install } from './steps/install.mjs';
import { requireNode } from './steps/node-version.mjs';
import { root } from './steps/run.mjs';

const progress = (line) => console.log(`curtail: ${line}`);

endWithNpm();
requireNode();
if (!(await install(progress)) || !(await build(progress))) process.exit(1);

// In this very process: signals and the exit code are then the program's own, with nothing in between.
const main = join(root, 'dist/apps/curtail/src/main.js');
process.argv = [process.execPath, main, 'start', ...process.argv.slice(2)];
await import(pathToFileURL(main).href);
