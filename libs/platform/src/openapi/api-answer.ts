import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiQuery, ApiResponse, type OpenAPIObject } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { problemView } from '#contracts/api';

/** The media type of a stream with one JSON value a line. */
export const linesType = 'application/x-ndjson';

/**
 * Whether the caller asked for a stream of lines in place of one document. It must name the type: a client without preferences
 * (`Accept: *\/*`) reads answers as JSON.
 */
export function wantsLines(request: Request, response: Response): boolean {
  response.vary('Accept');
  return request.accepts(['application/json', linesType]) === linesType;
}

type JsonSchema = Record<string, unknown>;

/** The permitted body of a request, as its description in OpenAPI has it. */
export function schemaOf(shape: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input' });
  return schema as JsonSchema;
}

/**
 * An answer as its description in OpenAPI has it. Clients must bear fields that a later version adds, so objects are open. Schemas with
 * an id are in `$defs`, which `withComponents` makes components of the document.
 */
export function answerSchemaOf(shape: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io: 'output',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      withoutPattern(jsonSchema);
    },
  });
  return schema as JsonSchema;
}

/** The query parameters of an operation: `ApiQuery` for each field of the shape that checks them. */
function parametersOf(shape: z.ZodObject): { name: string; required: boolean; schema: JsonSchema }[] {
  const optional = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any', override: fieldsOnly });
  const { properties = {} } = z.toJSONSchema(shape, { io: 'output', override: fieldsOnly });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    required: optional.required?.includes(name) ?? false,
    schema: schema as JsonSchema,
  }));
}

const fieldsOnly = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) =>
  withoutPattern(jsonSchema);

/** `format` names it: the expression that zod checks a time or id with helps no reader. */
function withoutPattern(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format !== undefined) delete schema.pattern;
}

type SchemaObject = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

const described = (schema: z.ZodType) => ({ schema: answerSchemaOf(schema) as SchemaObject });

/** Describes the answer of an operation by its schema. */
export const ApiAnswer = (schema: z.ZodType, { description = 'Done.' }: { description?: string } = {}) =>
  ApiResponse({ status: 200, description, content: { 'application/json': described(schema) } });

/**
 * Describes the answer of a task that takes long: `done`, one document at the end, or, to those who accept it (`wantsLines`), a stream
 * with one JSON value of the schema `line` a line.
 */
export const ApiTaskAnswer = ({ done, line }: { done: z.ZodType; line: z.ZodType }) =>
  ApiResponse({
    status: 200,
    description:
      'One document once the work is done. `Accept: application/x-ndjson` returns a stream of progress instead, with one JSON value in each line; the stream may end with an error.',
    content: { 'application/json': described(done), [linesType]: described(line) },
  });

/**
 * Describes a refusal or failure of this operation alone; those that many have are added to all of them (`withComponents`).
 *
 * @param description when it is answered, as a sentence.
 */
export const ApiProblem = (status: number, description: string) =>
  ApiResponse({ status, description, content: { 'application/problem+json': described(problemView) } });

/** Describes the query parameters of an operation by the shape that checks them. */
export const ApiParameters = (shape: z.ZodObject) =>
  applyDecorators(
    ...parametersOf(shape).map(({ name, required, schema: { description, ...schema } }) =>
      ApiQuery({
        name,
        required,
        schema: schema as SchemaObject,
        ...(typeof description === 'string' ? { description } : {}),
      }),
    ),
  );

/** Where `ApiTextBody` keeps the schemas of a body by content type, until `withComponents` puts them in their places. */
export const byContentType = 'x-by-content-type';

/**
 * Describes a body that is text in one of several content types, each with an example of it, or JSON of the same shape.
 *
 * @param texts examples by content type; the first also shows how the text is sent as a JSON string.
 */
export function ApiTextBody(texts: Readonly<Record<string, string>>, json: Readonly<object>) {
  const [first] = Object.values(texts);
  const schemas = {
    ...Object.fromEntries(
      Object.entries(texts).map(([type, example]) => [type, { type: 'string', examples: [example] }]),
    ),
    'application/json': {
      oneOf: [{ type: 'object', additionalProperties: true }, { type: 'string' }],
      examples: [json, first],
    },
  };
  return applyDecorators(
    ApiConsumes(...Object.keys(schemas)),
    ApiBody({ schema: { [byContentType]: schemas } as object }),
  );
}
