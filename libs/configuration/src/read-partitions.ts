import { nearestOf } from '#contracts';
import { at, describe, type Field, isNull, quoted, truthOf } from './field.js';
import { type Entries, entriesOf, itemsOf } from './keys.js';
import { readPolicies } from './policies.js';
import type { Problems } from './problems.js';
import { readNeighbours } from './read-neighbours.js';
import type { QueueReader } from './read-queue.js';
import { originOf } from './read-resources.js';
import { bareQueue, type Origin, type PartitionTree, type QueueTree } from './tree.js';

/** The partitions of a configuration, each with its tree of queues. docs/reference/policies/quota-decrease.md §2.1, §2.4 rule 1 */
export function readPartitions(field: Field, queues: QueueReader, problems: Problems): PartitionTree[] {
  const something = isNull(field) ? undefined : somethingElse(field);
  if (something !== undefined) {
    problems.error('partitions', something, field);
    return [];
  }
  const entries = isNull(field) ? new Map() : entriesOf(field, '', 'configuration', problems);
  if (entries === undefined) return [];
  const list = entries.get('partitions')?.value;
  // A misspelt key is an error already.
  if (list === undefined && entries.size > 0) return [];
  if (list === undefined || isNull(list) || (list.kind === 'list' && list.items.length === 0)) {
    problems.error('partitions', 'a configuration has one partition or more; list them here', list ?? field);
    return [];
  }
  const seen = new Map<string, string>();
  const partitions: PartitionTree[] = [];
  for (const [index, item] of itemsOf(list, 'partitions', problems).entries()) {
    const path = `partitions[${index}]`;
    const partition = readPartition(item, path, queues, problems);
    if (partition === undefined) continue;
    const { name } = partition;
    const other = seen.get(name.toLowerCase());
    if (other === undefined) {
      seen.set(name.toLowerCase(), path);
    } else {
      const message = `a partition named ${quoted(name)} already exists (${other}); case does not count`;
      problems.error(at(path, 'name'), message, partition.origin);
    }
    partitions.push(partition);
  }
  return partitions;
}

const shownKeys = 5;

/**
 * What to write where there are no partitions; undefined where there are, and where the key is misspelt, which `entriesOf` reports. A list of
 * all the keys as unknown ones would say nothing.
 */
function somethingElse(field: Field): string | undefined {
  if (field.kind === 'scalar')
    return 'a configuration is expected here, such as a queues.yaml, which begins with partitions, not a single value';
  const names = (item: Field | undefined) => (item?.kind === 'mapping' ? [...item.entries.keys()] : []);
  if (field.kind === 'list') {
    if (names(field.items[0]).includes('queues'))
      return 'the partitions of a queues.yaml are expected here, not a list alone; write partitions: above it';
    return 'a configuration is expected here, such as a queues.yaml, which begins with partitions, not a list';
  }
  const keys = names(field);
  if (keys.length === 0 || keys.includes('partitions') || keys.some((key) => nearestOf(key, ['partitions'])))
    return undefined;
  if (keys.includes('yunikornDefaults'))
    return 'yunikornDefaults of these Helm values has no text under queues.yaml; write the queues there, as queues.yaml: |';
  if (keys.includes('queues'))
    return 'queues are those of a partition; write partitions: with a list of one, {name: default, queues: …}';
  const more = keys.length > shownKeys ? ' and others' : '';
  return `a queues.yaml begins with partitions, and this with ${keys.slice(0, shownKeys).map(quoted).join(', ')}${more}, so it is none; docs/reference/configuration.md lists the files that Curtail reads`;
}

function readPartition(
  field: Field,
  path: string,
  queues: QueueReader,
  problems: Problems,
): PartitionTree | undefined {
  const entries = entriesOf(field, path, 'partition', problems);
  if (entries === undefined) return undefined;
  readNeighbours(entries, path, problems);
  const nameField = entries.get('name')?.value;
  return {
    name: readName(nameField, at(path, 'name'), problems),
    origin: originOf(nameField ?? field, at(path, 'name'), { path }),
    ...readPreemption(entries, path, problems),
    root: readRoot(entries, field, path, queues, problems),
  };
}

function readName(field: Field | undefined, path: string, problems: Problems): string {
  if (field === undefined || isNull(field)) return 'default';
  if (field.kind !== 'scalar') {
    problems.error(path, `a partition name must be a string, not ${describe(field)}`, field);
    return 'default';
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names go into stream names, messages and terminals
  if (field.text.length > 256 || /[\u0000-\u001f\u007f]/.test(field.text)) {
    problems.error(path, 'a partition name has at most 256 characters and no control characters', field);
  }
  return field.text === '' ? 'default' : field.text;
}

function readPreemption(
  partition: Entries,
  path: string,
  problems: Problems,
): Pick<PartitionTree, 'quotaPreemptionEnabled' | 'isSwitchedOff' | 'independentQuotas' | 'policies'> {
  const preemptionPath = at(path, 'preemption');
  const entries =
    entriesOf(partition.get('preemption')?.value, preemptionPath, 'preemption', problems) ?? new Map();
  const policies = entries.get('policies')?.value;
  const isOn = readSwitch(entries, preemptionPath, 'quotapreemptionenabled', problems);
  return {
    quotaPreemptionEnabled: isOn ?? false,
    isSwitchedOff: isOn === false,
    independentQuotas: readSwitch(entries, preemptionPath, 'independentquotas', problems) ?? false,
    policies: readPolicies(policies, at(preemptionPath, 'policies'), problems),
  };
}

/** Undefined where it is absent. docs/reference/policies/quota-decrease.md §2.2, §2.4 */
function readSwitch(
  preemption: Entries,
  path: string,
  name: 'quotapreemptionenabled' | 'independentquotas',
  problems: Problems,
): boolean | undefined {
  const field = preemption.get(name)?.value;
  if (field === undefined) return undefined;
  const truth = truthOf(field);
  if (truth !== undefined) return truth;
  problems.error(at(path, name), `write true or false, without quotes, not ${describe(field)}`, field);
  return undefined;
}

/** A single top queue named root is the root; otherwise a root is added above all of them. */
function readRoot(
  partition: Entries,
  field: Field,
  path: string,
  queues: QueueReader,
  problems: Problems,
): QueueTree {
  const listPath = at(path, 'queues');
  const list = partition.get('queues')?.value;
  if (list === undefined || isNull(list)) {
    problems.error(
      listPath,
      'a partition has a list of queues; write one, which may be empty ([])',
      list ?? field,
    );
  }
  const only = list?.kind === 'list' && list.items.length === 1 ? list.items[0] : undefined;
  if (only !== undefined && isNamedRoot(only)) {
    const root = queues.queue(only, `${listPath}[0]`, 'root');
    if (root !== undefined) return root;
  }
  const origin: Origin = originOf(list ?? field, listPath, { path });
  return {
    ...bareQueue('root', origin),
    parent: true,
    children: queues.siblings(list, listPath, 'root'),
  };
}

export function isNamedRoot(queue: Field): boolean {
  const name = queue.kind === 'mapping' ? queue.entries.get('name')?.value : undefined;
  return name?.kind === 'scalar' && name.text.toLowerCase() === 'root';
}
