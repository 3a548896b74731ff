import { nearestOf } from '#contracts';
import type { Place } from '#contracts/api';
import { at, type Entry, type Field, isNull } from './field.js';
import type { Problems } from './problems.js';

/**
 * Every known key of `queues.yaml`; those of a configuration beside `partitions` and `checksum` are in YuniKorn's answer on
 * `GET /ws/v1/config`. docs/reference/policies/quota-decrease.md §2.1
 */
export const knownKeys = {
  configuration: ['partitions', 'checksum', 'extra', 'deadlockdetectionenabled', 'deadlocktimeoutseconds'],
  partition: [
    'name',
    'queues',
    'placementrules',
    'limits',
    'preemption',
    'nodesortpolicy',
    'usergroupresolver',
  ],
  preemption: ['enabled', 'quotapreemptionenabled', 'independentquotas', 'policies'],
  nodeSortPolicy: ['type', 'resourceweights'],
  userGroupResolver: ['type'],
  placementRule: ['name', 'create', 'value', 'parent', 'filter'],
  filter: ['type', 'users', 'groups'],
  queue: [
    'name',
    'parent',
    'resources',
    'properties',
    'maxapplications',
    'adminacl',
    'submitacl',
    'childtemplate',
    'limits',
    'queues',
  ],
  resources: ['max', 'guaranteed', 'quota.preemption.delay'],
  childTemplate: ['maxapplications', 'properties', 'resources'],
  limit: ['limit', 'users', 'groups', 'maxresources', 'maxapplications'],
} as const;

export type KeySet = keyof typeof knownKeys;

export type Entries = ReadonlyMap<string, Entry>;

/**
 * The entries of a mapping with known keys; an unknown key is a problem of its own. An empty value counts as an empty mapping, as in
 * YAML. Undefined if the field is not a mapping.
 */
export function entriesOf(
  field: Field | undefined,
  path: string,
  set: KeySet | 'any',
  problems: Problems,
): Entries | undefined {
  if (field === undefined || isNull(field)) return new Map();
  if (field.kind !== 'mapping') {
    const wanted = set === 'any' ? 'names and values' : knownKeys[set].join(', ');
    problems.error(path, `a mapping is expected here (${wanted}), not a ${kindOf(field)}`, field);
    return undefined;
  }
  if (set !== 'any') {
    for (const [key, entry] of field.entries) {
      if (!(knownKeys[set] as readonly string[]).includes(key)) {
        reportUnknown(key, knownKeys[set], { path: at(path, key), place: entry.key }, problems);
      }
    }
  }
  return field.entries;
}

/** The items of a list; an empty value counts as an empty list. */
export function itemsOf(field: Field | undefined, path: string, problems: Problems): readonly Field[] {
  if (field === undefined || isNull(field)) return [];
  if (field.kind === 'list') return field.items;
  problems.error(path, `a list is expected here, not a ${kindOf(field)}`, field);
  return [];
}

function kindOf(field: Field): string {
  return field.kind === 'scalar' ? 'single value' : field.kind;
}

/** A misspelt key would lose a quota or a guaranteed amount: it is an error even where unknown keys are allowed. */
function reportUnknown(
  key: string,
  known: readonly string[],
  { path, place }: { path: string; place: Place },
  problems: Problems,
): void {
  // A text with thousands of unknown keys would take seconds; only the first ones are listed.
  const near = problems.full ? undefined : nearestOf(key, known);
  if (near === undefined) problems.unknownKey(path, `unknown key: known here are ${known.join(', ')}`, place);
  else problems.error(path, `unknown key: write ${near}`, place);
}
