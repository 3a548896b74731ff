/**
 * Before `npm pack`, which packs what is in dist: installs and builds if need be. It writes to standard error, for `npm pack` prints the name of the
 * package on standard output.
 */
import { build } from './steps/build.mjs';
import { install } from './steps/install.mjs';
import { requireNode } from './steps/node-version.mjs';

const progress = (line) => console.error(`curtail: ${line}`);

requireNode();
if (!(await install(progress)) || !(await build(progress))) process.exit(1);
