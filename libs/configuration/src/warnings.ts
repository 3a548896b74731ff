import type { ConfigurationFormat } from '#contracts';
import type { Problems } from './problems.js';
import { typeMeant } from './resource-names.js';
import type { Amounts, PartitionTree, QueueTree } from './tree.js';

const shortestUsualMs = 60_000n;
const longestUsualMs = 5n * 3600n * 1000n;

/** `delay-unusual`: on the queue that sets it. docs/reference/policies/quota-decrease.md §2.2 */
export function warnOfUnusualDelays(queue: QueueTree, problems: Problems): void {
  const ms = queue.delay?.ms ?? 0n;
  if (ms > 0n && (ms < shortestUsualMs || ms > longestUsualMs)) {
    const { path } = queue.delayOrigin;
    const side = ms < shortestUsualMs ? 'below 60 s' : 'above 5 h';
    problems.warning(
      'delay-unusual',
      path,
      `a delay of ${seconds(ms)} s is ${side}; is the unit right?`,
      queue.delayOrigin,
    );
  }
  for (const child of queue.children) warnOfUnusualDelays(child, problems);
}

function seconds(ms: bigint): string {
  const rest = ms % 1000n;
  return rest === 0n ? `${ms / 1000n}` : `${ms / 1000n}.${String(rest).padStart(3, '0').replace(/0+$/, '')}`;
}

/**
 * What is wrong with the name of a type; undefined: nothing.
 *
 * @param known the types of the cluster; undefined: they are not known.
 */
export function unknownTypeText(
  type: string,
  known: ReadonlySet<string> | undefined,
  format?: ConfigurationFormat,
): string | undefined {
  if (known?.has(type)) return undefined;
  const meant = typeMeant(type, format, known);
  if (meant !== undefined)
    return `nothing has a resource ${JSON.stringify(type)}, so this limits and guarantees nothing; write ${meant}`;
  return known && `nothing in the cluster has ${JSON.stringify(type)}; is the name right?`;
}

/**
 * `unknown-resource-type`: a type that nothing in the cluster has. Without a snapshot only names
 * of other systems are suspect, such as `cpu` and `vcores`. docs/reference/policies/quota-decrease.md §2.4 rule 7
 */
export function warnOfUnknownTypes(
  partitions: PartitionTree[],
  templates: Amounts[],
  known: ReadonlySet<string> | undefined,
  format: ConfigurationFormat,
  problems: Problems,
): void {
  const check = (amounts: Amounts) => {
    for (const [type, { origin }] of amounts) {
      const message = unknownTypeText(type, known, format);
      if (message !== undefined) problems.warning('unknown-resource-type', origin.path, message, origin);
    }
  };
  const visit = (queue: QueueTree) => {
    check(queue.max);
    check(queue.guaranteed);
    for (const child of queue.children) visit(child);
  };
  for (const { root } of partitions) visit(root);
  for (const amounts of templates) check(amounts);
}
