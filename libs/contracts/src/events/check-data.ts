import { z } from 'zod';
import { isPlainObject } from '../is-object.js';
import { inPlainWords } from '../schema-faults.js';
import { catalog, type EventName } from './catalog.js';
import { enforcementRescheduled, enforcementScheduled } from './enforcement.js';

const inWords = { error: inPlainWords };

/**
 * Compares the data of an event with their schema, as `safeParse` of that does. The victims of a plan, of which there may be a hundred
 * thousand, and the facts of their rules are checked without the schema if nothing is wrong with them, which takes a fraction of the time. So
 * are the events of clocks, of which a configuration may cause ten thousand, and those of each victim of a run.
 */
export function checkData(name: EventName, data: unknown): z.ZodSafeParseResult<unknown> {
  const { schema } = catalog[name];
  const fields = plainFields[name];
  if (fields && isOf(fields, data)) return { success: true, data };
  if (name !== 'PlanComputed' || !hasVictims(data) || !data.plan.victims.every(isVictim))
    return schema.safeParse(data, inWords);
  const { rules } = data;
  const hasGoodRules = Array.isArray(rules) && rules.every(isRule);
  return schema.safeParse(
    {
      ...data,
      plan: { ...data.plan, victims: [] },
      ...(hasGoodRules && { rules: [] }),
    },
    inWords,
  );
}

type Fields = readonly (readonly [name: string, isRight: (value: unknown) => boolean])[];

/** True only of all of these fields, and no other one. */
function isOf(fields: Fields, data: unknown): boolean {
  if (!isPlainObject(data)) return false;
  for (const [name, isRight] of fields) if (!isRight(data[name])) return false;
  return Object.keys(data).length === fields.length;
}

const isText = (value: unknown) => typeof value === 'string';
const isNotNegative = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isPositive = (value: unknown) => isNotNegative(value) && value !== 0;
const isOneOf = (values: readonly string[]) => {
  const all = new Set<unknown>(values);
  return (value: unknown) => all.has(value);
};
const isNone = (value: unknown) => Array.isArray(value) && value.length === 0;

const values: Fields = [
  ['max', (value) => value === null || areAmounts(value)],
  ['delayMs', isNotNegative],
];
const areValues = (value: unknown) => isOf(values, value);

const instantText = z.regexes.datetime({ precision: 3 });
const isInstant = (value: unknown) => typeof value === 'string' && instantText.test(value);

const clock: Fields = [
  ['partition', isText],
  ['queue', isText],
  ['enforcement', isText],
  ['generation', isPositive],
  ['dueAt', isInstant],
  ['current', areValues],
  ['notices', isNone],
];

const victim: Fields = [
  ['partition', isText],
  ['queue', isText],
  ['enforcement', isText],
  ['allocation', isText],
  ['uid', isText],
  ['application', isText],
  ['victimQueue', isText],
  ['rank', isPositive],
  ['evictionId', isText],
  ['resources', areAmounts],
  ['secondsLost', isNotNegative],
];

/** Events that may be many at once, by the fields that most of them have; the schema checks the others. No field may be optional. */
const plainFields: { readonly [N in EventName]?: Fields } = {
  QuotaChanged: [
    ['partition', isText],
    ['queue', isText],
    ['previous', areValues],
    ['current', areValues],
  ],
  EnforcementScheduled: [
    ...clock,
    ['previous', areValues],
    ['cause', isOneOf(enforcementScheduled.shape.cause.options)],
  ],
  EnforcementRescheduled: [
    ...clock,
    ['previousDueAt', isInstant],
    ['cause', isOneOf(enforcementRescheduled.shape.cause.options)],
  ],
  VictimOrdered: [...victim, ['attempt', isPositive], ['orderedAt', isInstant]],
  VictimEvicted: [...victim, ['reason', isText], ['recovered', (value) => typeof value === 'boolean']],
};

function hasVictims(data: unknown): data is { plan: { victims: unknown[] }; rules?: unknown } {
  const plan = isPlainObject(data) && data.plan;
  return isPlainObject(plan) && Array.isArray(plan.victims);
}

/** True only of what the schema of a victim takes. */
function isVictim(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    typeof value.allocation === 'string' &&
    isOptionalText(value.uid) &&
    typeof value.application === 'string' &&
    typeof value.queue === 'string' &&
    isOptionalText(value.node) &&
    areAmounts(value.resources) &&
    isPositive(value.rank) &&
    typeof value.reason === 'string'
  );
}

/** True only of what the schema of a rule takes. */
function isRule(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    typeof value.rule === 'string' &&
    isPositive(value.count) &&
    (value.facts === undefined || areFacts(value.facts))
  );
}

function areFacts(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  return Object.values(value).every((fact) => (Array.isArray(fact) ? fact.every(isFact) : isFact(fact)));
}

const isFact = (value: unknown) =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);

const isOptionalText = (value: unknown) => value === undefined || typeof value === 'string';

function areAmounts(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  for (const name of Object.keys(value)) if (!isNotNegative(value[name])) return false;
  return true;
}
