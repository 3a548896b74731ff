import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Json = Record<string, unknown>;
interface Described {
  content?: Record<string, { schema: Json }>;
}
interface Operation {
  name: string;
  path: RegExp;
  responses: Record<string, Described>;
}

/**
 * Compares answers with docs/reference/openapi.json: the operation, the status, the media type, and the schema of the body. Objects are
 * closed here, so that a field that the document lacks is an error.
 */
export class DescribedAnswers {
  private readonly operations: Operation[];
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  /** Operations that answered with success. */
  readonly succeeded = new Set<string>();

  constructor(text = readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8')) {
    const document = closed(JSON.parse(text)) as {
      paths: Record<string, Record<string, { responses: Record<string, Described> }>>;
      components: Json & { responses: Record<string, Described> };
    };
    formats.default(this.ajv);
    this.ajv.addSchema({ $id: 'document', components: document.components });
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { responses }]) => ({
        name: `${method.toUpperCase()} ${path}`,
        path: new RegExp(`^${method.toUpperCase()} ${path.replace(/\{[^}]+\}/g, '[^/?]+')}(?:\\?|$)`),
        responses: resolved(responses, document.components.responses),
      })),
    );
  }

  /** All operations of the document, such as `GET /v1/queues`. */
  get names(): string[] {
    return this.operations.map(({ name }) => name);
  }

  /** @throws Error with how an answer differs from its description. */
  check(
    method: string,
    path: string,
    { status, type, body }: { status: number; type: string; body: unknown },
  ) {
    const asked = `${method} ${path}`;
    const operation = this.operationOf(asked);
    if (!operation) {
      if ([401, 404, 405].includes(status) || !path.startsWith('/v1/')) return;
      throw new Error(`${asked} is not described`);
    }
    const media = type.split(';')[0]!.trim();
    const schema = operation.responses[String(status)]?.content?.[media]?.schema;
    if (!schema) throw new Error(`${asked} answers ${status} as ${media}, which is not described`);
    const validate = this.validatorOf(`${operation.name} ${status} ${media}`, schema);
    for (const value of media === 'application/x-ndjson' ? linesOf(String(body)) : [body]) {
      if (validate(value)) continue;
      const faults = this.ajv.errorsText(validate.errors, { dataVar: 'body' });
      throw new Error(`${asked} answers ${status} unlike its description: ${faults.slice(0, 2000)}`);
    }
    if (status < 300) this.succeeded.add(operation.name);
  }

  /**
   * Compares the statuses of all answers that a server gives, to whichever client. Fetched answers are compared completely by `check`.
   *
   * @returns a function that lists those that the document lacks, such as `GET /v1/explained 404`.
   */
  watch(server: Server): () => string[] {
    const lacking = new Set<string>();
    server.on('request', ({ method, url }: IncomingMessage, response: ServerResponse) => {
      response.once('finish', () => {
        const operation = this.operationOf(`${method === 'HEAD' ? 'GET' : method} ${url}`);
        if (operation && !operation.responses[String(response.statusCode)])
          lacking.add(`${operation.name} ${response.statusCode}`);
      });
    });
    return () => [...lacking];
  }

  /** Of two that match, as `/queues/{path}` and a fixed name, the longer one is meant. */
  private operationOf(asked: string): Operation | undefined {
    return this.operations
      .filter((one) => one.path.test(asked))
      .sort((a, b) => b.name.length - a.name.length)[0];
  }

  private validatorOf(name: string, schema: Json): ValidateFunction {
    let validate = this.validators.get(name);
    if (!validate) {
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
      validate = this.ajv.compile(JSON.parse(text));
      this.validators.set(name, validate);
    }
    return validate;
  }
}

function linesOf(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function resolved(
  responses: Record<string, Described & { $ref?: string }>,
  shared: Record<string, Described>,
): Record<string, Described> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      response.$ref ? shared[response.$ref.split('/').at(-1)!]! : response,
    ]),
  );
}

/** A schema of an object with fields permits no others, unless it permits them explicitly. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, field]) => [key, closed(field)]));
  const isOpen = 'additionalProperties' in copy;
  return copy.type === 'object' && 'properties' in copy && !isOpen
    ? { ...copy, additionalProperties: false }
    : copy;
}
