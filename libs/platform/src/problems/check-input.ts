import { type PipeTransform, StandardSchemaValidationPipe } from '@nestjs/common';
import type { z } from 'zod';
import type { InputProblem } from './problem.js';
import { RefusedInput } from './refused-input.js';

/** The maximum number of listed errors: the sender of the input determines how many there are. */
const mostErrors = 50;

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * Reads a value that a caller sent.
 * @throws RefusedInput. A ZodError from elsewhere is an internal error, and is answered as one.
 */
export function checkInput<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (!result.success) throw refusedBy(result.error.issues);
  return result.data;
}

/** Checks the parts of a request that a route declares with a schema: `@Body({ schema })`, `@Query({ schema })`. */
export function schemaPipe(): PipeTransform {
  return new StandardSchemaValidationPipe({ exceptionFactory: refusedBy });
}

function refusedBy(issues: readonly SchemaIssue[]): RefusedInput {
  const errors: InputProblem[] = issues
    .slice(0, mostErrors)
    .map(({ path, message }) => ({ path: fieldPath(path ?? []), message }));
  if (issues.length > mostErrors)
    errors.push({ path: '', message: `and ${issues.length - mostErrors} more` });
  return new RefusedInput(errors);
}

/** `allocations[3].resources.memory` */
function fieldPath(path: NonNullable<SchemaIssue['path']>): string {
  return path
    .map((segment) => (typeof segment === 'object' ? segment.key : segment))
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`,
    )
    .join('');
}
