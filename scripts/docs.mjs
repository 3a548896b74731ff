/**
 * `npm run docs`: writes the files that are made from the code: docs/reference (openapi.json, asyncapi.json, the schemas of
 * events, settings, rights) and the rules of the chart's roles. Needs no database: the application is described, not started.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './steps/build.mjs';
import { install } from './steps/install.mjs';
import { root } from './steps/run.mjs';

const progress = (line) => console.log(`curtail: ${line}`);
if (!(await install(progress)) || !(await build(progress))) process.exit(1);

const { documents } = await import(join(root, 'dist/apps/curtail/src/start/documents.js'));
for (const [name, text] of Object.entries(await documents())) {
  writeFileSync(join(root, name), text);
  progress(`${name} is written`);
}
