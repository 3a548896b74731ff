import type { Plan, Resources } from '#contracts';
import type { ShadowDifference } from '#contracts/api';

const firstListed = 10;

/** @returns undefined if both have the same victims and the same outcome. */
export function differenceOf(
  { enforcement, queue }: { enforcement: string; queue: string },
  recorded: Plan,
  shadow: Plan,
): ShadowDifference | undefined {
  const added = without(shadow, recorded);
  const removed = without(recorded, shadow);
  if (added.length === 0 && removed.length === 0 && recorded.outcome === shadow.outcome) return undefined;
  return {
    enforcement,
    queue,
    outcome: recorded.outcome,
    shadowOutcome: shadow.outcome,
    victims: recorded.victims.length,
    shadowVictims: shadow.victims.length,
    added: added.length,
    removed: removed.length,
    addedFirst: added.slice(0, firstListed),
    removedFirst: removed.slice(0, firstListed),
    freedDifference: less(freed(shadow), freed(recorded)),
  };
}

function without(one: Plan, other: Plan): string[] {
  const there = new Set(other.victims.map(({ allocation }) => allocation));
  return one.victims.map(({ allocation }) => allocation).filter((allocation) => !there.has(allocation));
}

/** Amounts that the victims of a plan hold, in every type. */
export function freed({ victims }: Pick<Plan, 'victims'>): Resources {
  return victims.reduce<Resources>((sum, { resources }) => plus(sum, resources), {});
}

/** Amounts sorted by name, capped at 2^53 - 1. */
export function plus(one: Resources, other: Resources): Resources {
  return combined(one, other, (a, b) => Math.min(Number.MAX_SAFE_INTEGER, a + b));
}

export function less(one: Resources, other: Resources): Resources {
  const difference = combined(one, other, (a, b) => a - b);
  return Object.fromEntries(Object.entries(difference).filter(([, amount]) => amount !== 0));
}

function combined(one: Resources, other: Resources, of: (a: number, b: number) => number): Resources {
  const types = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return Object.fromEntries(types.map((type) => [type, of(one[type] ?? 0, other[type] ?? 0)]));
}
