import type { OpenAPIObject } from '@nestjs/swagger';
import { problemView } from '#contracts/api';
import { answerSchemaOf, byContentType } from './api-answer.js';
import { addProblems, problems } from './problems-of-operations.js';

type Json = Record<string, unknown>;

/**
 * The document with what the decorators of Nest cannot say: the problems that each operation may answer with, the definitions of all schemas
 * as components, a schema for each content type, and ids of operations.
 */
export function withComponents(document: OpenAPIObject): OpenAPIObject {
  const schemas: Record<string, unknown> = {};
  const problem = hoisted(answerSchemaOf(problemView), schemas);
  const content = { 'application/problem+json': { schema: problem } };
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      operation.operationId = operationId(method, path);
      eachBodyItsOwn(operation as Json);
    }
  }
  addProblems(document);
  const paths = hoisted(document.paths, schemas);
  return {
    ...document,
    paths: paths as OpenAPIObject['paths'],
    components: {
      ...document.components,
      responses: Object.fromEntries(
        problems.map(({ name, description }) => [name, { description, content }]),
      ),
      schemas: { ...document.components?.schemas, ...schemas },
    } as NonNullable<OpenAPIObject['components']>,
  };
}

/** The body of each content type as `ApiTextBody` gives it: the decorators of Nest have one schema for all of them. */
function eachBodyItsOwn({ requestBody }: Json): void {
  const { content = {} } = (requestBody ?? {}) as { content?: Record<string, { schema?: Json }> };
  for (const [type, media] of Object.entries(content)) {
    const own = media.schema?.[byContentType] as Record<string, Json> | undefined;
    if (own) media.schema = own[type]!;
  }
}

/** A copy whose `$defs` are collected in `schemas`, with references to there. */
function hoisted(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => hoisted(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $defs, ...rest } = value as Json;
  for (const [id, definition] of Object.entries(($defs ?? {}) as Json)) {
    schemas[id] ??= hoisted(definition, schemas);
  }
  return Object.fromEntries(
    Object.entries(rest).map(([key, field]) => [
      key,
      key === '$ref' && typeof field === 'string'
        ? field.replace('#/$defs/', '#/components/schemas/')
        : hoisted(field, schemas),
    ]),
  );
}

/**
 * The id of an operation, from which generators make names: `getEventsById` of `GET /v1/events/{id}`. Made from its method and path, which
 * stay; Nest's would be made from the names of classes.
 */
function operationId(method: string, path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'v1');
  const last = parts.at(-1) ?? '';
  const words = parts.filter((part) => !isParameter(part)).map(capitalized);
  return method + words.join('') + (isParameter(last) ? `By${capitalized(last.slice(1, -1))}` : '');
}

const isParameter = (part: string) => part.startsWith('{');

const capitalized = (text: string) =>
  text.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
