/**
 * `npm run docs`: writes the files that are made from the code: docs/reference (openapi.json, asyncapi.json, the schemas of
 * events, settings, rights), the types of the API's client, the rules of the chart's roles, the manual page, the completions, and the copies of alerts and dashboards in the chart. Needs no database and no build: the
 * application is described, not started, and the command line may use what the types do not have yet.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chartFiles } from './steps/chart-files.mjs';
import { install } from './steps/install.mjs';
import { root } from './steps/run.mjs';

const progress = (line) => console.log(`curtail: ${line}`);
if (!(await install(progress))) process.exit(1);

await import('../test/support/typescript.mjs');
const { clientTypes } = await import('./client-types.mjs');
const { documents } = await import('./documents/documents.ts');
const { commandDocuments } = await import('./documents/command-documents.ts');
const files = { ...(await documents()), ...(await commandDocuments()), ...chartFiles() };
files['libs/api-client/src/generated/openapi.ts'] = await clientTypes(files['docs/reference/openapi.json']);
for (const [name, text] of Object.entries(files)) {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
  progress(`${name} is written`);
}
