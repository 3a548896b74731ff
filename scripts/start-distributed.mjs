/**
 * `npm run start:distributed`: Kafka, Redis, PostgreSQL and every service in processes of their own, with what follows `--` as
 * its options. On a fresh clone it installs and builds first, and fetches the servers that this machine lacks.
 */
import { build } from './steps/build.mjs';
import { endWithNpm } from './steps/end-with-npm.mjs';
import { install } from './steps/install.mjs';
import { requireNode } from './steps/node-version.mjs';

const progress = (line) => console.log(`curtail: ${line}`);

endWithNpm();
requireNode();
const asksForHelp = process.argv.some((word) => word === '--help' || word === '-h');
if (!(await install(progress)) || !(asksForHelp || (await build(progress)))) process.exit(1);

await import('../test/support/typescript.mjs');
const { startDistributed } = await import('./distributed/start-distributed.ts');
process.exit(await startDistributed(process.argv.slice(2)));
