import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { type OpenApiTexts, openApiDocument } from './set-up-open-api.js';

/** Writes the API's description (`docs/reference/openapi.json`); the same API always gives the same bytes. */
export async function writeOpenApi(app: INestApplication, path: string, texts?: OpenApiTexts): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, openApiText(app, texts));
}

export function openApiText(app: INestApplication, texts?: OpenApiTexts): string {
  return `${JSON.stringify(sortKeys(openApiDocument(app, texts)), null, 2)}\n`;
}

/** Keys in order of their names; lists keep their order, which is significant. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, field]) => [key, sortKeys(field)]));
}
