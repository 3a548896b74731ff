/** Prints the types of the API's client, as they are to be: `node scripts/client-types.mjs`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { root } from './steps/run.mjs';

const head = `/**
 * Made from docs/reference/openapi.json by \`npm run docs\`; do not edit.
 */

`;

/** The types of the API's paths and schemas, as TypeScript: libs/api-client/src/generated/openapi.ts. @param text docs/reference/openapi.json */
export async function clientTypes(text) {
  const nodes = await openapiTS(JSON.parse(text), {
    // A parameter or field of a request with a default may be left out.
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  return head + astToString(nodes);
}

if (process.argv[1] === import.meta.filename) {
  process.stdout.write(await clientTypes(readFileSync(join(root, 'docs/reference/openapi.json'), 'utf8')));
}
