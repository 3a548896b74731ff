import type { ConfigurationFormat, GuaranteedEqualsMax } from '#contracts';
import {
  isHadoopText,
  type NamedText,
  propertiesOfField,
  propertiesOfText,
  withYarnSite,
} from './capacity-scheduler/hadoop-properties.js';
import { hasProperties, type Property } from './capacity-scheduler/properties.js';
import { readCapacityScheduler } from './capacity-scheduler/read-capacity-scheduler.js';
import { hadoopSectionsIn } from './capacity-scheduler/sections.js';
import { configurationIn, withPlacesIn } from './config-map/config-map.js';
import { holdsText } from './config-map/holders.js';
import type { Field } from './field.js';
import { readJsonValue } from './json-source.js';
import { listedQueues } from './listed.js';
import { asQueuesYaml, isQueuesYaml, otherAnswer } from './other-answers.js';
import { Problems } from './problems.js';
import type { CheckWindow } from './read-freezes.js';
import { readPartitions } from './read-partitions.js';
import { QueueReader } from './read-queue.js';
import type { ConfigurationResult } from './result.js';
import { checkRules, effectiveDelays } from './rules.js';
import { subjectsOfFields } from './subject-of-field.js';
import type { Amounts, PartitionTree } from './tree.js';
import { warnOfNothingEnforced, warnOfUnknownTypes, warnOfUnusualDelays } from './warnings.js';
import { readYaml } from './yaml-source.js';
import { readPoolTrees } from './ytsaurus/read-pool-trees.js';
import { hasAttributes } from './ytsaurus/trees.js';
import { isYson, readYson } from './ytsaurus/yson.js';

export interface ConfigurationOptions {
  /** Absent: detected from the configuration. */
  format?: ConfigurationFormat;
  /** The partition for a format without names of partitions; default `default`. */
  partition?: string;
  /** YARN's other file, which may have settings of its scheduler; `file` is its name in messages. */
  yarnSite?: NamedText;
  /** Properties of YARN that count where the configuration has none of that name. */
  defaults?: ReadonlyMap<string, string>;
  /** Whether queues inherit the delay of the queue above; default true. */
  delayInheritance?: boolean;
  /** Whether guaranteed may equal max under a queue's own delay; default `refuse`. docs/reference/policies/quota-decrease.md §2.4 rule 2 */
  guaranteedEqualsMax?: GuaranteedEqualsMax;
  /** Whether unknown keys of a queues.yaml are warnings, not errors; one that is nearly a known key stays an error. Default false. */
  allowUnknown?: boolean;
  /** The sender turns the enforcement of lowered quotas on, whatever the configuration says. */
  switchedOn?: boolean;
  /** Every resource type of an allocation, a pending request or a node of the cluster. */
  knownResourceTypes?: ReadonlySet<string>;
  /** Checks the windows of freezes, by `readConfiguredWindow` of libs/holds; absent: only their fields are checked. */
  checkWindow?: CheckWindow;
}

/**
 * Reads a configuration: a text, or a JSON value (whose problems have no lines), also in a ConfigMap. Never throws for bad input: lists
 * all problems.
 * docs/reference/configuration.md; for queues.yaml docs/reference/policies/quota-decrease.md §2
 */
export function readConfiguration(
  input: string | { json: unknown },
  options: ConfigurationOptions = {},
): ConfigurationResult {
  const problems = new Problems(options);
  if (typeof input === 'string' && ['ytsaurus', undefined].includes(options.format) && isYson(input)) {
    const read = readYson(input, problems);
    const partitions = read === undefined ? [] : poolTrees(read, options, problems, { isYson: true });
    return resultOf('ytsaurus', partitions, [], options, problems);
  }
  if (typeof input === 'string' && isHadoopText(input, options.format))
    return readProperties(propertiesOfText(input, problems), options, problems);
  const field = typeof input === 'string' ? readYaml(input, problems) : readJsonValue(input.json, problems);
  return readHeld(field, options, problems, typeof input === 'string' ? input : undefined);
}

/**
 * Same as `readConfiguration`, for fields, which may be a ConfigMap; undefined if a problem prevented reading them.
 *
 * @param source the text that they were read from.
 */
export function readHeld(
  field: Field | undefined,
  options: ConfigurationOptions,
  problems: Problems,
  source?: string,
): ConfigurationResult {
  const format = options.format ?? formatOf(field);
  if (format !== 'yunikorn' || !holdsText(field)) return readFields(field, { ...options, format }, problems);
  const inner = configurationIn(field, problems);
  if (inner === undefined) return readFields(undefined, { ...options, format }, problems);
  const inside = new Problems(options);
  const result = readFields(readYaml(inner.text, inside), { ...options, format }, inside);
  return withPlacesIn(result, inner, source);
}

function readFields(
  field: Field | undefined,
  options: ConfigurationOptions & { format: ConfigurationFormat },
  problems: Problems,
): ConfigurationResult {
  const { format } = options;
  const other = field && otherAnswer(field);
  if (other !== undefined) problems.error('', other, { line: field?.line, column: field?.column });
  if (field === undefined || other !== undefined) return resultOf(format, [], [], options, problems);
  if (format === 'capacity-scheduler')
    return readProperties(propertiesOfField(field, problems), options, problems);
  if (format === 'ytsaurus')
    return resultOf(format, poolTrees(field, options, problems), [], options, problems);
  const reader = new QueueReader(problems, options.checkWindow);
  const partitions = readPartitions(asQueuesYaml(field), reader, problems);
  for (const partition of partitions) {
    const delays = effectiveDelays(partition.root, options.delayInheritance ?? true);
    if (!problems.hasAmbiguousKeys) checkRules(partition, delays, problems, options.guaranteedEqualsMax);
    warnOfNothingEnforced(partition, delays, problems, options.switchedOn);
  }
  return resultOf(format, partitions, reader.templates, options, problems);
}

function readProperties(
  own: Property[] | undefined,
  options: ConfigurationOptions,
  problems: Problems,
): ConfigurationResult {
  const read = withYarnSite(own, options.yarnSite, problems);
  const names = new Set(read?.map(({ name }) => name));
  const further = [...(options.defaults ?? [])].filter(([name]) => !names.has(name));
  const properties = read && [...read, ...further.map(([name, value]): Property => ({ name, value }))];
  const partition = properties && readCapacityScheduler(properties, options.partition ?? 'default', problems);
  return resultOf('capacity-scheduler', partition ? [partition] : [], [], options, problems);
}

function poolTrees(
  field: Field,
  { partition = 'default' }: ConfigurationOptions,
  problems: Problems,
  printed: { isYson?: boolean } = {},
): PartitionTree[] {
  return readPoolTrees(field, { partition, ...printed }, problems);
}

/** Detected by a name that no other format has: at the top, or of a file of Hadoop further down. */
function formatOf(field: Field | undefined): ConfigurationFormat {
  if (field === undefined || field.kind === 'scalar') return 'yunikorn';
  if (field.kind === 'mapping') {
    if (isQueuesYaml(field)) return 'yunikorn';
    if (field.entries.has('pool_trees') || field.entries.has('pools')) return 'ytsaurus';
    if (hasProperties(field)) return 'capacity-scheduler';
    if (hasAttributes(field)) return 'ytsaurus';
  }
  return hadoopSectionsIn(field) === undefined ? 'yunikorn' : 'capacity-scheduler';
}

function resultOf(
  format: ConfigurationFormat,
  partitions: PartitionTree[],
  templates: Amounts[],
  { delayInheritance, knownResourceTypes, partition }: ConfigurationOptions,
  problems: Problems,
): ConfigurationResult {
  warnOfUnknownTypes(partitions, templates, knownResourceTypes, format, problems);
  for (const { root } of partitions) warnOfUnusualDelays(root, problems);
  return {
    format,
    valid: !problems.any,
    errors: problems.errors(),
    allowUnknownHelps: problems.any && problems.unknownKeys === problems.count,
    warnings: problems.warnings(subjectsOfFields(partitions, partition ?? partitions[0]?.name ?? 'default')),
    partitions: problems.any
      ? []
      : partitions.map(({ name, quotaPreemptionEnabled, policies }) => ({
          name,
          quotaPreemptionEnabled,
          policies,
        })),
    queues: problems.any
      ? []
      : partitions.flatMap((partition) =>
          listedQueues(partition, effectiveDelays(partition.root, delayInheritance ?? true)),
        ),
  };
}
