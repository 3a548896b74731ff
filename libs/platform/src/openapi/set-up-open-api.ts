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

export function openApiDocument(app: INestApplication, texts: OpenApiTexts = {}): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle(texts.title ?? 'Curtail')
    .setDescription(texts.description ?? 'Enforces lowered quotas in cluster schedulers.')
    .setVersion(texts.version ?? programVersion())
    .addServer('/', 'The Curtail that serves this document.')
    .addServer(
      'http://localhost:8080',
      'Where `npm start` and `curtail start` listen, unless told otherwise.',
    )
    .setOpenAPIVersion('3.1.0')
    .addBearerAuth()
    .build();
  return withComponents(SwaggerModule.createDocument(app, config));
}
