import { z } from 'zod';
import { isPlainObject } from '../is-object.js';
import { inPlainWords } from '../schema-faults.js';
import { isStorableTime } from '../storable.js';
import { catalog, type EventName } from './catalog.js';
import { enforcementCancelled, enforcementRescheduled, enforcementScheduled } from './enforcement.js';
import { inboundLimits, partitionText, queueText } from './inbound-shapes.js';
import { allocationStarted } from './inventory.js';

const inWords = { error: inPlainWords };

/**
 * Compares the data of an event with their schema, as `safeParse` of that does. The victims of a plan, of which there may be a hundred
 * thousand, and the facts of their rules are checked without the schema if nothing is wrong with them, which takes a fraction of the time. So
 * are the events of clocks, of which a configuration may cause ten thousand, those of each victim of a run, and reports of allocations.
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

type Fields = readonly (readonly [name: string, isRight: (value: unknown) => boolean, isOptional?: true])[];

/** True only of these fields, and no other one. */
function isOf(fields: Fields, data: unknown): boolean {
  if (!isPlainObject(data)) return false;
  let missing = 0;
  for (const [name, isRight, isOptional] of fields) {
    const value = data[name];
    if (value === undefined && isOptional) missing++;
    else if (!isRight(value)) return false;
  }
  return Object.keys(data).length === fields.length - missing;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNotNegative = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isPositive = (value: unknown) => isNotNegative(value) && value !== 0;
const isOneOf = (values: readonly string[]) => {
  const all = new Set<unknown>(values);
  return (value: unknown) => all.has(value);
};
const isFlag = (value: unknown) => typeof value === 'boolean';
const isNone = (value: unknown) => Array.isArray(value) && value.length === 0;

const values: Fields = [
  ['max', (value) => value === null || areAmounts(value)],
  ['delayMs', isNotNegative],
];
const areValues = (value: unknown) => isOf(values, value);

const instantText = z.regexes.datetime({ precision: 3 });
const momentText = z.regexes.datetime({ offset: true });
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

const areNoMoreThan = (most: number) => (value: unknown) =>
  typeof value === 'string' && value !== '' && value.length <= most;
const isId = areNoMoreThan(inboundLimits.idCharacters);
const isMoment = (value: unknown) =>
  typeof value === 'string' && momentText.test(value) && isStorableTime(value);
const isType = areNoMoreThan(inboundLimits.typeCharacters);
const areReported = (value: unknown) => {
  if (!areAmounts(value)) return false;
  const types = Object.keys(value as object);
  return types.length <= inboundLimits.resourceTypes && types.every(isType);
};

const released: Fields = [
  [
    'partition',
    (value) => isText(value) && value.length <= inboundLimits.nameCharacters && partitionText.test(value),
  ],
  ['sequence', isPositive],
  ['id', isId],
  ['uid', isId],
];

/** Events that may be many at once, by the fields that most of them have; the schema checks the others. */
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
  EnforcementCancelled: [...clock, ['cause', isOneOf(enforcementCancelled.shape.cause.options)]],
  QuotaNoted: [
    ['partition', isText],
    ['queue', isText],
    ['current', areValues],
  ],
  VictimOrdered: [...victim, ['attempt', isPositive], ['orderedAt', isInstant]],
  VictimEvicted: [...victim, ['reason', isText], ['recovered', isFlag]],
  AllocationReleased: released,
  AllocationStarted: [
    ...released,
    ['application', isId],
    [
      'queue',
      (value) => isText(value) && value.length <= inboundLimits.queueCharacters && queueText.test(value),
    ],
    ['node', isId, true],
    ['resources', areReported],
    ['priority', (value) => Number.isInteger(value) && (value as number) === ((value as number) | 0), true],
    ['startedAt', isMoment],
    ['role', isOneOf(allocationStarted.shape.role.unwrap().options), true],
    ['allowPreemption', isFlag, true],
    ['interruptible', isFlag, true],
    ['protected', isFlag, true],
    ['readyToGo', isFlag, true],
  ],
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
