/**
 * `npm run demo:yarn`: Curtail beside a real ResourceManager with two nodes, which it builds with Maven the first time. A more important
 * application gets the room of another one. Ends by itself and leaves nothing behind.
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
const { demoYarn } = await import('./demo/yarn.ts');
process.exit(await demoYarn(progress));
