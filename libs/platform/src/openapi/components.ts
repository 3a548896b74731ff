import { problemView } from '@curtail/contracts/api';
import type { OpenAPIObject } from '@nestjs/swagger';
import { answerSchemaOf } from './schema-of.js';

type Json = Record<string, unknown>;

/** Answers of several operations, by status; `needs` selects the operations. */
const problems: Problem[] = [
  {
    status: '400',
    name: 'BadRequest',
    description: 'The request is wrong: `errors` names the fields.',
    needs: hasInput,
  },
  { status: '401', name: 'Unauthorized', description: 'The token is missing or unknown.', needs: isSecured },
  { status: '403', name: 'Forbidden', description: 'The token does not permit this.', needs: isSecured },
  { status: '404', name: 'NotFound', description: 'Not found.', needs: hasPath },
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
    needs: hasBody,
  },
  {
    status: '415',
    name: 'UnsupportedMediaType',
    description: 'The content type of the body is not supported.',
    needs: hasBody,
  },
  {
    status: '422',
    name: 'Unprocessable',
    description: 'The content is refused: `errors` names the fields.',
    needs: hasBody,
  },
  {
    status: '429',
    name: 'TooManyRequests',
    description: 'Too many requests: wait for the time in `Retry-After`.',
    needs: isSecured,
  },
  {
    status: '503',
    name: 'Unavailable',
    description: 'Something that Curtail needs is unavailable: retry after `Retry-After`.',
  },
  { status: 'default', name: 'OtherProblem', description: 'Any other refusal or failure.' },
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
function hasBody({ body }: Operation): boolean {
  return body;
}
function isConditional({ parameters }: Operation): boolean {
  return parameters.some((parameter) => (parameter as Json).name === 'if-match');
}
function hasPath({ path }: Operation): boolean {
  return path.includes('{');
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
