import { problemView } from '@curtail/contracts/api';
import type { OpenAPIObject } from '@nestjs/swagger';
import { byContentType } from './api-body.js';
import { answerSchemaOf } from './schema-of.js';

type Json = Record<string, unknown>;

/**
 * The refusals and failures that operations may answer with, by status; `needs` selects the operations. One that a single route has is
 * described there (`ApiProblem`). None is left to `default`: generated clients would take any other answer for a problem.
 */
const problems: Problem[] = [
  { status: '400', name: 'BadRequest', description: 'The request is wrong: `errors` names the fields.' },
  { status: '401', name: 'Unauthorized', description: 'The token is missing or unknown.', needs: isSecured },
  {
    status: '403',
    name: 'Forbidden',
    description: 'The token, or the host or origin of the request, does not permit this.',
  },
  {
    status: '404',
    name: 'NotFound',
    description: 'Something that the request names is not known.',
    needs: hasInput,
  },
  { status: '408', name: 'RequestTimeout', description: 'The request did not arrive completely in time.' },
  {
    status: '409',
    name: 'Conflict',
    description: 'The current state does not allow it; `remedy` names the next step.',
    needs: isWrite,
  },
  {
    status: '412',
    name: 'PreconditionFailed',
    description: 'The resource has changed; `detail` states its current state.',
    needs: isConditional,
  },
  {
    status: '413',
    name: 'ContentTooLarge',
    description: 'The body is too large.',
    needs: isWrite,
  },
  {
    status: '415',
    name: 'UnsupportedMediaType',
    description: 'The content type of the body is not supported.',
    needs: isWrite,
  },
  {
    status: '422',
    name: 'Unprocessable',
    description: 'The content is refused: `errors` names the fields.',
    needs: isWrite,
  },
  {
    status: '429',
    name: 'TooManyRequests',
    description: 'Too many requests: wait for the time in `Retry-After`.',
    needs: isSecured,
  },
  { status: '431', name: 'HeadersTooLarge', description: 'There are too many headers, or too large ones.' },
  {
    status: '500',
    name: 'Failed',
    description: 'Curtail failed; its log has details under `requestId`.',
  },
  {
    status: '503',
    name: 'Unavailable',
    description: 'Something that Curtail needs is unavailable: retry after `Retry-After`.',
  },
  {
    status: '504',
    name: 'TookTooLong',
    description: 'The database took too long; the request had no effect.',
    needs: isSecured,
  },
];

interface Problem {
  status: string;
  /** Of the response among the components. */
  name: string;
  description: string;
  needs?: (operation: Operation) => boolean;
}

interface Operation {
  method: string;
  path: string;
  parameters: readonly unknown[];
  body: boolean;
}

function hasInput({ parameters, body }: Operation): boolean {
  return parameters.length > 0 || body;
}
function isConditional({ parameters }: Operation): boolean {
  return parameters.some((parameter) => (parameter as Json).name === 'if-match');
}
function isSecured({ path }: Operation): boolean {
  return path.startsWith('/v1/');
}
function isWrite({ method }: Operation): boolean {
  return method !== 'get';
}

/**
 * The document with the problems that each operation may answer with, and with the definitions of all schemas as components of
 * the document.
 */
export function withComponents(document: OpenAPIObject): OpenAPIObject {
  const schemas: Record<string, unknown> = {};
  const problem = hoisted(answerSchemaOf(problemView), schemas);
  const content = { 'application/problem+json': { schema: problem } };
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item)) eachBodyItsOwn(operation as Json);
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

function addProblems(document: OpenAPIObject): void {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, value] of Object.entries(item)) {
      const operation = value as Json & { responses: Json };
      const described: Operation = {
        method,
        path,
        parameters: (operation.parameters as unknown[] | undefined) ?? [],
        body: operation.requestBody !== undefined,
      };
      for (const { status, name, needs } of problems) {
        if (!needs || needs(described))
          operation.responses[status] ??= { $ref: `#/components/responses/${name}` };
      }
    }
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
