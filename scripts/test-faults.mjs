/**
 * `npm run test:faults`: every fault, one after the other, on the distributed system under load. Arguments after `--` are its
 * options (`--help`). docs/development.md, "Faults"
 */
import { build } from './steps/build.mjs';
import { install } from './steps/install.mjs';
import { requireNode } from './steps/node-version.mjs';

const progress = (line) => console.error(`curtail: ${line}`);

requireNode();
if (!(await install(progress)) || !(await build(progress))) process.exit(1);

await import('../test/support/typescript.mjs');
const { faultsCommand } = await import('../test/faults/distributed/command.ts');
process.exit(await faultsCommand(process.argv.slice(2)));
