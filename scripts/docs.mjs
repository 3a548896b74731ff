/**
 * `npm run docs`: writes the documents that are made from the code into docs/reference: openapi.json, asyncapi.json and the
 * schemas of events. Needs no database: the application is described, not started.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './steps/build.mjs';
import { install } from './steps/install.mjs';
import { root } from './steps/run.mjs';

const say = (line) => console.log(`curtail: ${line}`);
if (!(await install(say)) || !(await build(say))) process.exit(1);

const { documents } = await import(join(root, 'dist/apps/curtail/src/start/documents.js'));
for (const [name, text] of Object.entries(await documents())) {
  writeFileSync(join(root, 'docs/reference', name), text);
  say(`docs/reference/${name} is written`);
}
