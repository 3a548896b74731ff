import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const root = new URL('../../', import.meta.url);
const aliases = [
  [/^@curtail\/agents\/kafka$/, 'libs/agents/src/kafka-transport.ts'],
  [/^@curtail\/agents\/yunikorn$/, 'libs/agents/src/yunikorn/index.ts'],
  [/^@curtail\/agents\/kubernetes$/, 'libs/agents/src/kubernetes/index.ts'],
  [/^@curtail\/clusters\/planning-view$/, 'libs/clusters/src/planning-view/index.ts'],
  [/^@curtail\/holds\/freezes$/, 'libs/holds/src/freezes/index.ts'],
  [/^@curtail\/migrations$/, 'migrations/index.ts'],
  [/^@curtail\/contracts\/api$/, 'libs/contracts/src/api/index.ts'],
  [/^@curtail\/contracts\/events$/, 'libs/contracts/src/events/index.ts'],
  [/^@curtail\/messaging\/kafka$/, 'libs/messaging/src/kafka/index.ts'],
  [/^@curtail\/planning\/words$/, 'libs/planning/src/words.ts'],
  [/^@curtail\/platform\/version$/, 'libs/platform/src/version.ts'],
  [/^@curtail\/([^/]+)$/, 'libs/$1/src/index.ts'],
];

/** The aliases of tsconfig.json, and `.js` that means the `.ts` beside it. */
export async function resolve(specifier, context, next) {
  for (const [alias, file] of aliases) {
    if (alias.test(specifier)) return next(new URL(specifier.replace(alias, file), root).href, context);
  }
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    const source = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
    if (existsSync(source)) return next(source.href, context);
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), {
    filename,
    swcrc: false,
    sourceMaps: 'inline',
    module: { type: 'es6' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      keepClassNames: true,
    },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
