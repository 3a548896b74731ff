/**
 * `npm run dev [-- APP] [options of the program]`: compiles a program of apps/, by default all in one process, runs it, and does both again after each
 * change of a source.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './steps/build.mjs';
import { endWithNpm } from './steps/end-with-npm.mjs';
import { install } from './steps/install.mjs';
import { requireNode } from './steps/node-version.mjs';
import { root } from './steps/run.mjs';

requireNode();
const { projects } = JSON.parse(await readFile(join(root, 'nest-cli.json'), 'utf8'));
const words = process.argv.slice(2);
const app = words[0] in projects ? words.shift() : 'curtail';
const progress = (line) => console.log(`curtail: ${line}`);

if (!(await install(progress))) process.exit(1);
// Nest builds programs; the page is beside them.
if (!existsSync(join(root, 'dist/apps/console/page')) && !(await build(progress))) process.exit(1);

// In this very process: Ctrl-C reaches it and the program that it runs.
const own = app === 'curtail' ? ['start', ...words] : words;
const nest = join(root, 'node_modules/@nestjs/cli/bin/nest.js');
process.chdir(root);
process.argv = [process.execPath, nest, 'start', app, '--watch', '--preserveWatchOutput', '--', ...own];
// Nest ends the program where it ends itself, which a signal alone does not let it do.
for (const signal of ['SIGTERM', 'SIGHUP'])
  process.once(signal, () => process.exit(128 + constants.signals[signal]));
endWithNpm();
await import(pathToFileURL(nest).href);
