import type { Entry, Field, Mapping } from './field.js';
import { type KeySet, knownKeys } from './keys.js';

/** What a key of one mapping leads to, where that has known keys of its own. */
const below: Partial<Record<KeySet, Record<string, KeySet>>> = {
  configuration: { partitions: 'partition' },
  partition: {
    queues: 'queue',
    placementrules: 'placementRule',
    limits: 'limit',
    preemption: 'preemption',
    nodesortpolicy: 'nodeSortPolicy',
    usergroupresolver: 'userGroupResolver',
  },
  queue: { queues: 'queue', resources: 'resources', childtemplate: 'childTemplate', limits: 'limit' },
  childTemplate: { resources: 'resources' },
  placementRule: { parent: 'placementRule', filter: 'filter' },
};

/** Whether a mapping is a queues.yaml: the file, or what YuniKorn answers on `GET /ws/v1/config`. */
export const isQueuesYaml = ({ entries }: Mapping): boolean =>
  entries.has('partitions') || entries.get('Partitions')?.value.kind === 'list';

/**
 * A queues.yaml with the names of its keys. YuniKorn's answer in JSON has those of its own fields (`Partitions`, `Queues`, `MaxApplications`);
 * names of properties and of resource types stay as they are.
 */
export function asQueuesYaml(field: Field): Field {
  if (field.kind !== 'mapping' || field.entries.has('partitions') || !isQueuesYaml(field)) return field;
  return renamed(field, 'configuration');
}

function renamed(field: Field, set: KeySet): Field {
  if (field.kind === 'list') return { ...field, items: field.items.map((item) => renamed(item, set)) };
  if (field.kind === 'scalar') return field;
  const entries = new Map<string, Entry>();
  for (const [key, entry] of field.entries) {
    const name = (knownKeys[set] as readonly string[]).find((known) => known === key.toLowerCase()) ?? key;
    const inside = below[set]?.[name];
    entries.set(name, inside === undefined ? entry : { ...entry, value: renamed(entry.value, inside) });
  }
  return { ...field, entries };
}
