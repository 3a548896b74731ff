import { applyDecorators } from '@nestjs/common';
import { ApiQuery, ApiResponse, type OpenAPIObject } from '@nestjs/swagger';
import type { z } from 'zod';
import { answerSchemaOf, parametersOf } from './schema-of.js';

type SchemaObject = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

const mediaTypes = { json: 'application/json', lines: 'application/x-ndjson' };

/**
 * Describes the answer of an operation by its schema.
 *
 * @param as `lines`: the answer is a stream, one JSON value of this schema a line.
 */
export const ApiAnswer = (
  schema: z.ZodType,
  { as = 'json', description = 'Done.' }: { as?: keyof typeof mediaTypes; description?: string } = {},
) =>
  ApiResponse({
    status: 200,
    description,
    content: { [mediaTypes[as]]: { schema: answerSchemaOf(schema) as SchemaObject } },
  });

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
