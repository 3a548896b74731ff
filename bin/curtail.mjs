#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/apps/curtail/src/cli/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('error: Curtail is not built yet; run `npm ci && npm run build` first\n');
  process.exitCode = 2;
}
