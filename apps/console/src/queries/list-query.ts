import { InputError } from '@curtail/contracts';
import { runStates } from '@curtail/contracts/api';
import { catalog, type EventName, eventName } from '@curtail/contracts/events';
import { runPolicies } from '@curtail/enforcement';
import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { z } from 'zod';

const shape = z.strictObject({
  partition: z.string().min(1).max(64).default('default'),
  queue: z.string().min(1).max(4096).optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  after: z.string().min(1).max(4200).optional(),
});

export type ListQuery = z.infer<typeof shape>;

/** Parameters that only some lists have. */
const filters = {
  state: z
    .enum([...runStates, 'waiting'], { error: () => `is not one of ${runStates.join(', ')}` })
    .transform((state) => (state === 'waiting' ? 'waiting for approval' : state)),
  policy: z.string().refine((name) => runPolicies.find(name) !== undefined, {
    error: () => `is not one of ${runPolicies.names.join(', ')}`,
  }),
  type: z
    .string()
    .max(200)
    .transform((type) => (Object.hasOwn(catalog, type) ? catalog[type as EventName].type : type))
    .refine((type) => eventName(type) !== undefined, 'is not the name of an event, such as VictimEvicted'),
};
export type Filter = keyof typeof filters;

/** The query parameters that all lists have. @throws InputError that names the parameter. */
export function listQuery(query: unknown): ListQuery {
  return filteredQuery(query);
}

/** Those, and filters that this list has. @throws InputError that names the parameter. */
export function filteredQuery<F extends Filter = never>(
  query: unknown,
  ...own: F[]
): ListQuery & Partial<Record<F, string>> {
  const extended = shape.extend(Object.fromEntries(own.map((name) => [name, filters[name].optional()])));
  const checked = extended.safeParse(query);
  if (checked.success) return checked.data as ListQuery & Partial<Record<F, string>>;
  const issue = checked.error.issues[0];
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  throw new InputError(
    `query.${unknown ?? issue?.path.join('.') ?? ''}`,
    unknown
      ? `there is no such parameter; there are ${[...Object.keys(shape.shape).slice(0, -1), ...own].join(', ')} and after`
      : `${issue?.message ?? 'not usable'} (partition and queue are names, since is a time such as 2026-11-21T10:00:00Z, limit is 1 to 1000)`,
  );
}

const described: Record<Filter, string> = {
  state: `only runs in this state: ${runStates.join(', ')}; \`waiting\` is short for \`waiting for approval\``,
  policy: `only runs of this policy: ${runPolicies.names.join(', ')}`,
  type: 'only events of this name, such as `VictimEvicted`, or of this CloudEvents type',
};

/** Describes those parameters in the OpenAPI document. @param own filters that this list has. */
export const ApiListQuery = (...own: Filter[]) =>
  applyDecorators(
    ...own.map((name) => ApiQuery({ name, required: false, description: described[name] })),
    ApiQuery({ name: 'partition', required: false, description: 'default: `default`' }),
    ApiQuery({
      name: 'queue',
      required: false,
      description: 'a queue path; everything below it is listed too',
    }),
    ApiQuery({ name: 'since', required: false, description: 'RFC 3339' }),
    ApiQuery({ name: 'limit', required: false, description: '1 to 1000, default 100' }),
    ApiQuery({ name: 'after', required: false, description: '`next` of the previous page' }),
  );

/** SQL: the column is the queue of `$n` or below it, or `$n` is null. */
export const below = (column: string, n: number) =>
  `($${n}::text IS NULL OR ${column} = $${n} OR (${column} >= $${n} || '.' AND ${column} < $${n} || '/'))`;

/** The end of a page ordered by a time and a name. */
export interface TimedPlace {
  at: string;
  name: string;
}

/** @throws InputError if `after` is not a `next` of such a list. */
export function timedPlace(after: string | undefined): TimedPlace | undefined {
  if (after === undefined) return undefined;
  const [, at, name] = /^(\d{4}-[^~]*Z)~(.+)$/s.exec(after) ?? [];
  if (at === undefined || name === undefined || Number.isNaN(Date.parse(at))) throw notNext();
  return { at, name };
}

/** Times arrive as dates from the database, and as texts from an answer. */
export const timedNext = (at: Date | string, name: string) => `${new Date(at).toISOString()}~${name}`;

/** @throws InputError if `after` is not a `next` of a list ordered by a number. */
export function numberedPlace(after: string | undefined): string | undefined {
  if (after === undefined || /^\d{1,18}$/.test(after)) return after;
  throw notNext();
}

const notNext = () =>
  new InputError('query.after', 'is not a position in this list; use the `next` of the previous page');
