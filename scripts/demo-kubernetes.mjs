/**
 * `npm run demo:kubernetes`: Curtail beside a real Kubernetes control plane with 20 nodes and 500 pods, which it builds with Go the first
 * time. A ResourceQuota is lowered; the evictions of Curtail and its messages to owners are shown. Ends by itself and leaves nothing behind.
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
const { demoKubernetes } = await import('./demo/kubernetes.ts');
process.exit(await demoKubernetes(progress));
