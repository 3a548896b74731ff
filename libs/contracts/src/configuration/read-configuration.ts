import type { Resources } from '../planning/resources.js';
import type { Field } from './field.js';
import { readJsonValue } from './json-source.js';
import { Problems } from './problems.js';
import { readPartitions } from './read-partitions.js';
import { QueueReader } from './read-queue.js';
import type { ConfigurationQueue, ConfigurationResult, ExactAmounts } from './result.js';
import { checkRules, effectiveDelays } from './rules.js';
import type { Amounts, PartitionTree, QueueTree } from './tree.js';
import { warnOfUnknownTypes, warnOfUnusualDelays } from './warnings.js';
import { readYaml } from './yaml-source.js';

export interface ConfigurationOptions {
  format?: 'yunikorn';
  /** Whether a queue takes over the delay of the queue above it; default true. */
  delayInheritance?: boolean;
  /** Every type that an allocation, a pending request or a node of the cluster has. */
  knownResourceTypes?: ReadonlySet<string>;
}

/**
 * Reads YuniKorn's `queues.yaml`: a YAML or JSON text, or a JSON value (whose problems have no lines). Never throws for
 * bad input: all that is wrong is listed. docs/policies/quota-decrease.md §2
 */
export function readConfiguration(
  input: string | { json: unknown },
  options: ConfigurationOptions = {},
): ConfigurationResult {
  const problems = new Problems();
  const field = typeof input === 'string' ? readYaml(input, problems) : readJsonValue(input.json, problems);
  return readFields(field, options, problems);
}

/** As `readConfiguration`, from fields; undefined if a problem kept them from being read. */
export function readFields(
  field: Field | undefined,
  options: ConfigurationOptions,
  problems: Problems,
): ConfigurationResult {
  const queues = field === undefined ? [] : read(field, options, problems);
  return {
    valid: !problems.any,
    errors: problems.errors(),
    warnings: problems.warnings(),
    partitions: problems.any
      ? []
      : queues.map(({ partition: { name, quotaPreemptionEnabled, policies } }) => ({
          name,
          quotaPreemptionEnabled,
          policies,
        })),
    queues: problems.any ? [] : queues.flatMap(({ partition, delays }) => listed(partition, delays)),
  };
}

type Delays = ReadonlyMap<QueueTree, bigint>;

function read(
  field: Field,
  options: ConfigurationOptions,
  problems: Problems,
): { partition: PartitionTree; delays: Delays }[] {
  const reader = new QueueReader(problems);
  const partitions = readPartitions(field, reader, problems);
  warnOfUnknownTypes(partitions, reader.templates, options.knownResourceTypes, problems);
  return partitions.map((partition) => {
    const delays = effectiveDelays(partition.root, options.delayInheritance ?? true);
    checkRules(partition, delays, problems);
    warnOfUnusualDelays(partition.root, problems);
    return { partition, delays };
  });
}

function listed(partition: PartitionTree, delays: Delays): ConfigurationQueue[] {
  const queues: ConfigurationQueue[] = [];
  const visit = (queue: QueueTree) => {
    const ms = delays.get(queue) ?? 0n;
    const exact = { max: exactOf(queue.max), guaranteed: exactOf(queue.guaranteed) };
    queues.push({
      partition: partition.name,
      path: queue.path,
      max: carried(exact.max),
      guaranteed: carried(exact.guaranteed),
      exact,
      delaySeconds: ms % 1000n === 0n ? Number(ms / 1000n) : Number(ms) / 1000,
      delayMs: capped(ms),
      parent: queue.parent,
    });
    for (const child of queue.children) visit(child);
  };
  visit(partition.root);
  return queues;
}

function exactOf(amounts: Amounts): ExactAmounts | null {
  if (amounts.size === 0) return null;
  const types = [...amounts.keys()].sort();
  return Object.fromEntries(types.map((type) => [type, amounts.get(type)?.value ?? 0n]));
}

function carried(amounts: ExactAmounts | null): Resources | null {
  if (amounts === null) return null;
  return Object.fromEntries(Object.entries(amounts).map(([type, amount]) => [type, capped(amount)]));
}

function capped(amount: bigint): number {
  return amount < BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : Number.MAX_SAFE_INTEGER;
}
