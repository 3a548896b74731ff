import type { OpenAPIObject } from '@nestjs/swagger';

type Json = Record<string, unknown>;

/**
 * The refusals and failures that operations may answer with, by status; `needs` selects the operations. One that a single route has is
 * described there (`ApiProblem`). None is left to `default`: generated clients would take any other answer for a problem.
 */
export const problems: Problem[] = [
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

/** Adds to each operation of the document the problems that it may answer with. */
export function addProblems(document: OpenAPIObject): void {
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
