import { applyDecorators } from '@nestjs/common';
import { ApiQuery, ApiResponse, type OpenAPIObject } from '@nestjs/swagger';
import type { z } from 'zod';
import { problemView } from '#contracts/api';
import { linesType } from '../http/lines.js';
import { answerSchemaOf, parametersOf } from './schema-of.js';

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
