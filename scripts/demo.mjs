/**
 * `npm run demo:kubernetes`, `demo:yarn` and `demo:ytsaurus`: Curtail beside a cluster of its own, which evicts no one by itself. Builds what is
 * missing, ends by itself and leaves nothing behind.
 */
import { build } from './steps/build.mjs';
import { endWithNpm } from './steps/end-with-npm.mjs';
import { install } from './steps/install.mjs';
import { requireNode } from './steps/node-version.mjs';

const progress = (line) => console.log(`demo: ${line}`);

endWithNpm();
requireNode();
if (!(await install(progress)) || !(await build(progress))) process.exit(1);

await import('../test/support/typescript.mjs');
const { demo } = await import(`./demo/${process.argv[2]}.ts`);
const { runDemo } = await import('./demo/run-demo.ts');
process.exit(await runDemo(demo, progress));
