/**
 * `npm run bench:distributed`: how fast the distributed shape is, beside the bare clients on the same servers.
 * `npm run bench:distributed -- ingest steady` picks parts, `--small` tries them out. docs/explanation/performance.md
 */
import { build } from './steps/build.mjs';
import { install } from './steps/install.mjs';
import { requireNode } from './steps/node-version.mjs';

const progress = (line) => console.log(`curtail: ${line}`);

requireNode();
if (!(await install(progress)) || !(await build(progress))) process.exit(1);

await import('../test/support/typescript.mjs');
const { benchDistributed } = await import('../test/load/main.ts');
process.exit(await benchDistributed(process.argv.slice(2)));
