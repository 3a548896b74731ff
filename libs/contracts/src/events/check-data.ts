import type { z } from 'zod';
import { isPlainObject } from '../is-object.js';
import { inPlainWords } from '../schema-faults.js';
import { catalog, type EventName } from './catalog.js';

const inWords = { error: inPlainWords };

/**
 * Compares the data of an event with their schema, as `safeParse` of that does. The victims of a plan, of which there may be a hundred
 * thousand, and the facts of their rules are checked without the schema if nothing is wrong with them, which takes a fraction of the time.
 */
export function checkData(name: EventName, data: unknown): z.ZodSafeParseResult<unknown> {
  const { schema } = catalog[name];
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
    Number.isSafeInteger(value.rank) &&
    (value.rank as number) >= 1 &&
    typeof value.reason === 'string'
  );
}

/** True only of what the schema of a rule takes. */
function isRule(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    typeof value.rule === 'string' &&
    Number.isSafeInteger(value.count) &&
    (value.count as number) >= 1 &&
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
  for (const name of Object.keys(value)) {
    const amount = value[name];
    if (!Number.isSafeInteger(amount) || (amount as number) < 0) return false;
  }
  return true;
}
