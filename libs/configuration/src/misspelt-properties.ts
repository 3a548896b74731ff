import { careProperties, freezeProperty, nearestOf, propertyOf, queueSettings } from '#contracts';
import { at } from './field.js';
import type { Entries } from './keys.js';
import type { Problems } from './problems.js';

/** Of YuniKorn, and of Curtail. */
const known = [
  'application.sort.policy',
  'application.sort.priority',
  'priority.policy',
  'priority.offset',
  'preemption.policy',
  'preemption.delay',
  'quota.preemption.delay',
  ...Object.values(careProperties),
  ...queueSettings.map(propertyOf),
  freezeProperty,
];
const isKnown = new Set(known);
/** Names of properties are long: more letters may differ than in a key. */
const mostChanges = 3;

/** Nothing else begins with it. */
const ofQuotas = 'quota.preemption';

/** Case and separators do not count: `Quota_Preemption_Delay` is a slip, too. */
const letters = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
const words = (name: string): string =>
  name
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .toSorted()
    .join(' ');
const byLetters = new Map(known.map((name) => [letters(name), name]));
const byWords = new Map(known.map((name) => [words(name), name]));

/**
 * The property that a name may be meant to be; undefined for one that is known, or is another program's own. Any name is allowed among
 * properties, so a slip in one loses its value: a delay, or a protection.
 */
export function propertyMeant(name: string): string | undefined {
  if (isKnown.has(name)) return undefined;
  const near = nearestOf(letters(name), [...byLetters.keys()], mostChanges);
  const meant = byWords.get(words(name)) ?? (near === undefined ? undefined : byLetters.get(near));
  // `a.quota.preemption.delay` is of another program; `quotas.preemption.delay` is a slip, although YuniKorn has `preemption.delay`.
  const ofOther = known.filter((one) => name.endsWith(`.${one}`));
  if (ofOther.some((one) => (meant ?? '').length <= one.length)) return undefined;
  return meant ?? (letters(name).startsWith(letters(ofQuotas)) ? `${ofQuotas}.delay` : undefined);
}

/** `misspelt-property`, once for each. docs/reference/configuration.md, "Warnings" */
export function warnOfMisspeltProperties(properties: Entries, path: string, problems: Problems): void {
  for (const [name, { key }] of properties) {
    // Others that begin with `curtail.` are errors.
    if (isKnown.has(name) || name.startsWith('curtail.')) continue;
    const meant = propertyMeant(name);
    if (meant === undefined) continue;
    const message = `neither YuniKorn nor Curtail has this property, so it has no effect; write ${meant}, if that is meant`;
    problems.warning('misspelt-property', at(path, name), message, key);
  }
}
