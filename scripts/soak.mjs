/** `npm run soak -- --minutes 30`: whether memory grows under load. docs/explanation/performance.md, "Distributed" */
import { build } from './steps/build.mjs';
import { install } from './steps/install.mjs';
import { requireNode } from './steps/node-version.mjs';

const progress = (line) => console.log(`curtail: ${line}`);

requireNode();
if (!(await install(progress)) || !(await build(progress))) process.exit(1);

await import('../test/support/typescript.mjs');
const { soak } = await import('../test/load/soak.ts');
process.exit(await soak(process.argv.slice(2)));
