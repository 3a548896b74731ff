import type { Entry, Field, Mapping } from './field.js';
import { type KeySet, knownKeys } from './keys.js';

/** The refusal of an answer of YARN, which may be JSON or XML. */
export const schedulerAnswer =
  'this is what YARN answers on /ws/v1/cluster/scheduler: it shows queues and does not configure them; give its answer on /ws/v1/cluster/scheduler-conf, or capacity-scheduler.xml';

/** What shows queues but does not configure them, with what to give in its place. */
const others: { is: (field: Mapping) => boolean; message: string }[] = [
  {
    is: (field) =>
      mappingAt(field, 'scheduler')?.entries.has('schedulerInfo') ?? field.entries.has('schedulerInfo'),
    message: schedulerAnswer,
  },
  {
    is: (field) => field.entries.has('RemoteException'),
    message:
      'this is an error that YARN answered, not a configuration; if it keeps capacity-scheduler.xml as a file, give that file',
  },
  {
    is: (field) => mappingAt(field, 'config') !== undefined && field.entries.has('rmDiagnostics'),
    message:
      "this is a state dump of YuniKorn; give its config alone, as jq '.config' prints it, or YuniKorn's answer on /ws/v1/config",
  },
  {
    is: (field) => isOfAmbari(field.entries.get('items')?.value),
    message:
      'this list of Ambari has no properties; ask for those of the version in force, with ?type=capacity-scheduler&tag=TAG',
  },
  {
    is: (field) => ['queuename', 'clusterId'].some((key) => field.entries.has(key)),
    message:
      'this is an answer of YuniKorn that shows queues or partitions and does not configure them; give its answer on /ws/v1/config, or queues.yaml',
  },
];

/** What is wrong with an answer of a scheduler that is no configuration; undefined: it is none of those. */
export function otherAnswer(field: Field): string | undefined {
  const first = field.kind === 'list' ? field.items[0] : field;
  if (first?.kind !== 'mapping') return undefined;
  return others.find(({ is }) => is(first))?.message;
}

/** Ambari gives the properties of a version only to those who ask for one. */
function isOfAmbari(items: Field | undefined): boolean {
  const first = items?.kind === 'list' ? items.items[0] : undefined;
  if (first?.kind !== 'mapping') return false;
  return ['type', 'tag'].every((key) => first.entries.has(key)) && !first.entries.has('properties');
}

function mappingAt(field: Mapping, key: string): Mapping | undefined {
  const value = field.entries.get(key)?.value;
  return value?.kind === 'mapping' ? value : undefined;
}

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
