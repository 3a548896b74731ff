import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { programVersion } from '../version.js';
import { withComponents } from './components.js';

export interface OpenApiTexts {
  title?: string;
  description?: string;
  version?: string;
}

/**
 * Serves the API's description at /docs (a page) and /docs/openapi.json. The page is served from here with all its
 * parts. Call it before `init`, after which no routes can be added.
 */
export function setUpOpenApi(app: INestApplication, texts: OpenApiTexts = {}): void {
  // The address printed at the start, and /docs/, under which the page would load its parts from the wrong place.
  app.use(({ method, path }: Request, response: Response, next: NextFunction) => {
    if (method === 'GET' && (path === '/' || path === '/docs/')) response.redirect('/docs');
    else next();
  });
  SwaggerModule.setup('docs', app, () => openApiDocument(app, texts), {
    jsonDocumentUrl: 'docs/openapi.json',
    raw: ['json'],
    customSiteTitle: texts.title ?? 'Curtail',
    // If unset, the page would send the document's address to an external validator.
    swaggerOptions: { validatorUrl: null },
  });
}

function openApiDocument(app: INestApplication, texts: OpenApiTexts = {}): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle(texts.title ?? 'Curtail')
    .setDescription(texts.description ?? 'Enforces lowered quotas in cluster schedulers.')
    .setVersion(texts.version ?? programVersion())
    .addServer('/', 'The Curtail that serves this document.')
    .addServer('http://localhost:8080', 'Where `npm start` and `curtail start` listen, unless set otherwise.')
    .setOpenAPIVersion('3.1.0')
    .addBearerAuth()
    .build();
  return withComponents(SwaggerModule.createDocument(app, config));
}

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
