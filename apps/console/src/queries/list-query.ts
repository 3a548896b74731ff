import { z } from 'zod';
import { InputError, isStorableTime, nearestOf, runStates, waitingForApproval } from '#contracts';
import { clockStates, replayView } from '#contracts/api';
import { catalog, type EventName, eventName, moment, typesOf } from '#contracts/events';
import { runPolicies } from '#enforcement';
import { checkInput } from '#platform';

/** The parameters of lists; each list has some of them, and refuses the others. Names are stored in lower case. */
const parameters = {
  partition: z.string().toLowerCase().min(1).max(64).default('default'),
  queue: z
    .string()
    .toLowerCase()
    .min(1)
    .max(4096)
    .optional()
    .describe('Only this queue, by its path, and everything below it.'),
  since: moment.optional().describe('At this time or later.'),
  until: moment.optional().describe('Before this time.'),
  enforcement: z.string().min(1).max(200).optional().describe('Only of this run and its clock.'),
  by: z.string().min(1).max(200).optional().describe('Only what this user commanded or sent.'),
  policy: z
    .string()
    .refine(
      (name) => runPolicies.find(name) !== undefined,
      `it is no policy; it must be one of ${runPolicies.names.join(', ')}`,
    )
    .optional()
    .describe(`Only of this policy: ${runPolicies.names.join(', ')}.`),
  type: z
    .string()
    .max(200)
    .superRefine((type, context) => {
      if (typesOfEvent(type).some(eventName)) return;
      const meant = nearestOf(type, Object.keys(catalog));
      context.addIssue({
        code: 'custom',
        message: `it is not the name of an event; ${meant ? `did you mean ${meant}?` : 'write one, such as VictimEvicted'}`,
      });
    })
    .optional()
    .describe('Only events of this name, such as `VictimEvicted`, or of this CloudEvents type.'),
  user: z.string().min(1).max(1000).optional().describe('Only of this user.'),
  application: z.string().min(1).max(1000).optional().describe('Only of this application.'),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  after: z.string().min(1).max(4200).optional().describe('`next` of the previous page.'),
};

/** The states of the things that a list may have; the parameter is `state` in each. */
const states = {
  run: z
    .enum([...runStates, 'waiting'])
    .optional()
    .describe(
      `Only in this state; \`waiting\` is short for \`${waitingForApproval}\`, and \`executing\` includes \`approved\`: an approved run is carried out at once.`,
    ),
  clock: z.enum(clockStates).optional().describe('Only in this state.'),
  replay: replayView.shape.state.optional().describe('Only in this state.'),
};

type Parameters = typeof parameters;

/** The CloudEvents types that an event given by its name or type may have in the log. */
export function typesOfEvent(nameOrType: string): readonly string[] {
  const name = Object.hasOwn(catalog, nameOrType) ? (nameOrType as EventName) : eventName(nameOrType);
  return name ? typesOf(name) : [nameOrType];
}

/** The query parameters of a list, by name. */
export function listQueryOf<N extends keyof Parameters>(
  ...names: N[]
): z.ZodObject<Pick<Parameters, N>, z.core.$strict> {
  const shape = Object.fromEntries(names.map((name) => [name, parameters[name]]));
  return z.strictObject(shape) as unknown as z.ZodObject<Pick<Parameters, N>, z.core.$strict>;
}

/** All lists of the API whose items are read here. */
export const lists = {
  one: listQueryOf('partition'),
  history: listQueryOf('partition', 'since'),
  feeds: listQueryOf('limit', 'after').extend({
    partition: z.string().trim().toLowerCase().min(1).max(64).optional().describe('Absent: all.'),
  }),
  partitions: listQueryOf('limit', 'after'),
  queues: listQueryOf('partition', 'queue', 'limit', 'after'),
  allocations: listQueryOf('partition', 'queue', 'limit', 'after'),
  applications: listQueryOf('partition', 'queue', 'limit', 'after'),
  elements: listQueryOf('partition', 'queue', 'limit', 'after'),
  timers: listQueryOf('partition', 'queue', 'policy', 'limit', 'after').extend({ state: states.clock }),
  foreseen: listQueryOf('partition', 'queue', 'user', 'application', 'enforcement', 'limit', 'after'),
  rounds: listQueryOf('partition', 'policy'),
  enforcements: listQueryOf('partition', 'queue', 'policy', 'since', 'limit', 'after').extend({
    state: states.run,
    needed: z
      .enum(['true'])
      .optional()
      .describe('`true`: without runs that ended because nothing had to be evicted any more.'),
  }),
  plans: listQueryOf('partition', 'queue', 'policy', 'since', 'limit', 'after'),
  events: listQueryOf(
    'partition',
    'queue',
    'type',
    'since',
    'until',
    'enforcement',
    'by',
    'limit',
    'after',
  ).extend({
    user: parameters.user.describe('Only about the work of this user.'),
    application: parameters.application.describe('Only about the work of this application.'),
  }),
  victims: listQueryOf('partition', 'user', 'application', 'limit'),
  notices: listQueryOf('partition', 'queue', 'since', 'limit', 'after'),
  replays: listQueryOf('since', 'limit', 'after').extend({ state: states.replay }),
  configurations: listQueryOf('since', 'by', 'limit', 'after'),
};

/** A checked query of the list with this name. */
export type QueryOf<N extends keyof typeof lists> = z.infer<(typeof lists)[N]>;

/** @throws RefusedInput that names the parameters. */
export function listQuery<N extends keyof typeof lists>(list: N, query: unknown): QueryOf<N> {
  const shape: z.ZodObject = lists[list];
  return checkInput(z.object({ query: shape }), { query }).query as QueryOf<N>;
}

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
  if (at === undefined || name === undefined || !isStorableTime(at)) throw notNext();
  return { at, name };
}

/** Times arrive as dates from the database, and as texts from an answer. */
export const timedNext = (at: Date | string, name: string) => `${new Date(at).toISOString()}~${name}`;

/** @throws InputError if `after` is not a `next` of a list ordered by a number. */
export function numberedPlace(after: string | undefined): string | undefined {
  if (after === undefined || /^\d{1,18}$/.test(after)) return after;
  throw notNext();
}

/** `after` is not a `next` of the list. */
export const notNext = () =>
  new InputError('query.after', 'is not a position in this list; use the `next` of the previous page');
