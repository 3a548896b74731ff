import { type ConfigurationFormat, didYouMean } from '#contracts';
import type { Problems } from './problems.js';
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
  if (known === undefined) return undefined;
  const question = didYouMean(type, [...known, 'memory', 'vcore']) || '; is the name right?';
  return `nothing in the cluster has ${JSON.stringify(type)}, so this limits and guarantees nothing${question}`;
}

/**
 * `unknown-resource-type`: a type that nothing in the cluster has. Without a snapshot only names
 * of other systems are suspect, such as `cpu` and `vcores`. docs/reference/policies/quota-decrease.md §2.4 rule 7
 */
export function warnOfUnknownTypes(
  partitions: readonly Pick<PartitionTree, 'root'>[],
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

const noDelay = 'no queue with a max has a quota.preemption.delay';
const switchedOff = 'preemption.quotapreemptionenabled is not true';
const giveDelay = 'give one to the queues whose lowered quotas are to be enforced';
const switchOn =
  'set it to true; only an agent that takes the configuration from YuniKorn enforces lowered quotas without it';

/**
 * `nothing-enforced`: the partition has quotas, and lowering one of them would have no effect. docs/reference/policies/quota-decrease.md §2.2
 *
 * @param isSwitchedOn the sender turns the switch on, whatever the configuration says.
 */
export function warnOfNothingEnforced(
  partition: PartitionTree,
  delays: ReadonlyMap<QueueTree, bigint>,
  problems: Problems,
  isSwitchedOn = false,
): void {
  if (problems.any) return;
  const limited = queuesOf(partition.root).filter(({ max }) => max.size > 0);
  const isDelayed = limited.some((queue) => (delays.get(queue) ?? 0n) > 0n);
  warnOfNoEffect(partition, { isLimited: limited.length > 0, isDelayed }, problems, isSwitchedOn);
}

/**
 * As `warnOfNothingEnforced`, for a partition without errors.
 *
 * @param queues whether any of them has a max, and whether any of those has a delay.
 */
export function warnOfNoEffect(
  { origin, quotaPreemptionEnabled, independentQuotas = false }: PartitionTree,
  { isLimited, isDelayed }: { isLimited: boolean; isDelayed: boolean },
  problems: Problems,
  isSwitchedOn = false,
): void {
  // Quotas of namespaces are each their author's own: those without a delay are not meant.
  if (independentQuotas || !isLimited) return;
  const isOn = isSwitchedOn || quotaPreemptionEnabled;
  if (isDelayed && isOn) return;
  const causes = [...(isDelayed ? [] : [noDelay]), ...(isOn ? [] : [switchedOff])];
  const remedies = [...(isDelayed ? [] : [giveDelay]), ...(isOn ? [] : [switchOn])];
  const message = `nothing will be enforced, because ${causes.join(', and ')}: ${remedies.join('; ')}`;
  problems.warning('nothing-enforced', origin.path, message, origin);
}

const queuesOf = (queue: QueueTree): QueueTree[] => [queue, ...queue.children.flatMap(queuesOf)];

/** Names without case and separators, each with the one that is meant. */
const meanings: Record<string, string> = {
  vcore: 'vcore',
  ...named('vcore', ['vcores', 'cpu', 'cpus', 'vcpu', 'vcpus', 'core', 'cores', 'requestscpu', 'limitscpu']),
  memory: 'memory',
  ...named('memory', ['mem', 'ram', 'memorymb', 'memorymib', 'memories', 'requestsmemory', 'limitsmemory']),
  nvidiacomgpu: 'nvidia.com/gpu',
  ...named('nvidia.com/gpu', [
    'gpu',
    'gpus',
    'nvidiagpu',
    'nvidiagpus',
    'nvidiacomgpus',
    'yarniogpu',
    'requestsnvidiacomgpu',
  ]),
  pods: 'pods',
  ...named('pods', ['pod', 'countpods']),
  ephemeralstorage: 'ephemeral-storage',
};

function named(meant: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, meant]));
}

const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * The resource type that a name of another system means (`vcores` of YARN, `CPU`, `mem`, `gpu`); undefined for a type that may exist under
 * this very name.
 *
 * @param known the types of the cluster, which may have a GPU of another kind; absent: they are not known.
 */
export function typeMeant(
  type: string,
  format: ConfigurationFormat = 'yunikorn',
  known?: ReadonlySet<string>,
): string | undefined {
  const meant = meanings[letters(type)];
  if (meant === undefined || meant === type) return undefined;
  if (meant !== 'nvidia.com/gpu') return meant;
  const ofYarn = 'yarn.io/gpu';
  const own = format === 'capacity-scheduler' ? ofYarn : meant;
  if (type === own) return undefined;
  return known?.has(own) === false ? ([...known].find((name) => name.endsWith('/gpu')) ?? own) : own;
}
