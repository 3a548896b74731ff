/**
 * `npm run demo:ytsaurus`: Curtail beside a fake of YTsaurus's HTTP API with two nodes. An operation that starves gets room from one that
 * holds more than its fair share. Ends by itself and leaves nothing behind.
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
const { demoYtsaurus } = await import('./demo/ytsaurus.ts');
process.exit(await demoYtsaurus(progress));
