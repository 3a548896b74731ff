import { type ConfigurationResult, readConfiguration } from '#configuration';
import { type Resources, resolveShares } from '#contracts';
import type { SourceConfiguration } from '../port.js';
import type { YarnQueues } from './answers.js';
import { totalOf } from './look.js';

/** Of YARN: whether its own monitor preempts. With the agent it says nothing of Curtail. */
export const monitorKey = 'yarn.resourcemanager.scheduler.monitor.enable';
const scheduler = 'yarn.scheduler.capacity.';
const inQueueKey = 'yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.enabled';
const labelsKey = 'yarn.node-labels.enabled';

const calculatorKey = `${scheduler}resource-calculator`;

/**
 * The amounts that the scheduler compares with limits: with its usual DefaultResourceCalculator memory alone, so a queue may have more vcores than its
 * share, and none of its work may go for that.
 *
 * @param properties of the scheduler.
 */
export function comparedAmounts(properties: ReadonlyMap<string, string>): (amounts: Resources) => Resources {
  const name = properties.get(calculatorKey)?.trim().split('.').at(-1) ?? 'DefaultResourceCalculator';
  if (name !== 'DefaultResourceCalculator') return (amounts) => amounts;
  return ({ memory }): Resources => (memory === undefined ? {} : { memory });
}

/** Keys of the manager's own configuration that the agent asks for, as its defaults count in its queues. */
export const managerKeys = [
  'yarn.scheduler.minimum-allocation-mb',
  'yarn.scheduler.minimum-allocation-vcores',
] as const;

const mebibyte = 1024 * 1024;
const millicores = 1000;

export interface ConfigurationParts {
  /** Of the scheduler, as its manager has them; undefined: it does not tell, and the settings have them. */
  scheduler: ReadonlyMap<string, string> | undefined;
  /** Of the manager. */
  manager: ReadonlyMap<string, string>;
  /** Of the file of settings. */
  settings: ReadonlyMap<string, string>;
  /** Whether YARN's own monitor preempts. */
  isMonitorOn: boolean;
}

/** What the manager shows, as `Look` has it. */
export interface Shown {
  queues: YarnQueues;
  nodes: Parameters<typeof totalOf>[0];
  isSizeSettled: boolean;
}

export type MadeConfiguration =
  | { kind: 'made'; data: SourceConfiguration }
  /** The manager enforces something else, or it is not known: nothing is submitted, and what was submitted stays in force. */
  | { kind: 'differs'; message: string };

/**
 * The configuration of the partition: the properties of the scheduler, with those that YARN has no key for from the settings. The scheduler's
 * own win. In-queue preemption is off unless the settings turn it on.
 *
 * Clocks compare its shares. In single precision, shares give the amounts that the manager shows; where they do not, what is configured is
 * not in force, and nothing is submitted.
 */
export function makeConfiguration(
  partition: string,
  { scheduler: own, manager, settings, isMonitorOn }: ConfigurationParts,
  shown: Shown,
  read = readingOnce(partition),
): MadeConfiguration {
  if (own === undefined && !settings.has(`${scheduler}root.queues`)) {
    return {
      kind: 'differs',
      message:
        'the manager reads its queues from a file, and does not tell their properties. Give that file, with the settings of Curtail in it: --yarn-settings capacity-scheduler.xml, or CURTAIL_YARN_SETTINGS',
    };
  }
  const properties = new Map([...manager, ...settings, ...(own ?? [])]);
  properties.delete(monitorKey);
  if (!properties.has(inQueueKey)) properties.set(inQueueKey, 'false');
  const { labels } = shown.queues;
  const hasLabels = labels.length > 0 || shown.nodes.some((node) => node.labels.length > 0);
  if (hasLabels) properties.set(labelsKey, 'true');
  properties.set(`${scheduler}single-precision`, 'true');
  const sorted = Object.fromEntries([...properties].sort(([a], [b]) => (a < b ? -1 : 1)));
  if (!hasLabels) {
    const message = difference(read(sorted), shown);
    if (message !== undefined) return { kind: 'differs', message };
  }
  const twice = {
    code: 'preemption-twice',
    message: `YARN's own monitor preempts (${monitorKey} is true): it and Curtail would both evict. Set it to false where Curtail enforces.`,
    needsAttention: true,
  };
  return {
    kind: 'made',
    data: {
      by: 'curtail-agent',
      format: 'capacity-scheduler',
      configuration: sorted,
      ...(isMonitorOn && { senderNotices: [twice] }),
    },
  };
}

type Properties = Readonly<Record<string, string>>;

/** Reads properties of a scheduler, and the same ones only once: every look compares them with what its manager shows. */
export function readingOnce(partition: string): (properties: Properties) => ConfigurationResult {
  let last: { text: string; result: ConfigurationResult } | undefined;
  return (properties) => {
    const text = JSON.stringify(properties);
    if (last?.text !== text)
      last = { text, result: readConfiguration(text, { format: 'capacity-scheduler', partition }) };
    return last.result;
  };
}

/** What is configured and not in force; undefined: all of it is. A configuration that cannot be read is for Curtail to refuse. */
function difference(
  result: ConfigurationResult,
  { queues: { queues }, nodes, isSizeSettled }: Shown,
): string | undefined {
  if (!result.valid) return undefined;
  if (nodes.length === 0) {
    return 'no node is part of the cluster, so that shares of it have no amounts; start the NodeManagers, and check: yarn node -list';
  }
  if (!isSizeSettled) {
    return 'the nodes do not add up to what the queues are calculated from: nodes come or go';
  }
  const size = totalOf(nodes);
  const shownOf = new Map(queues.map((queue) => [queue.path.toLowerCase(), queue]));
  for (const queue of result.queues) {
    const shown = shownOf.get(queue.path);
    if (shown === undefined) {
      return `${queue.path} is configured, and the manager does not have it: refresh its queues, yarn rmadmin -refreshQueues`;
    }
    const resolved = resolveShares(queue, size);
    for (const [type, unit] of [
      ['memory', mebibyte],
      ['vcore', millicores],
    ] as const) {
      const wrong =
        mismatch(resolved.max, shown.max, { type, unit, isLimit: true }) ??
        mismatch(resolved.guaranteed, shown.guaranteed, { type, unit, isLimit: false });
      if (wrong !== undefined) {
        return `${queue.path}: ${wrong}. What is configured is not in force: refresh the queues of the manager, yarn rmadmin -refreshQueues`;
      }
    }
  }
  const known = new Set(result.queues.map(({ path }) => path));
  const unknown = queues.find(({ path, isAutoCreated }) => !isAutoCreated && !known.has(path.toLowerCase()));
  return unknown && `${unknown.path} is a queue of the manager, and is not configured: refresh its queues`;
}

/** A queue that is guaranteed more than YARN guarantees only keeps more work. */
function mismatch(
  own: Resources | null,
  shown: Resources | undefined,
  { type, unit, isLimit }: { type: string; unit: number; isLimit: boolean },
): string | undefined {
  const amount = own?.[type];
  const there = shown?.[type];
  if (amount === undefined || there === undefined) return undefined;
  const whole = Math.floor(amount / unit) * unit;
  if (isLimit ? whole === there : whole >= there) return undefined;
  const what = isLimit ? 'maximum' : 'guaranteed';
  return `its ${what} ${type} is ${there / unit} at the manager, and ${whole / unit} by its configuration`;
}

/** The properties of an answer on `/scheduler-conf`. */
export function schedulerProperties(answer: unknown): ReadonlyMap<string, string> {
  const list = (answer as { property?: unknown } | undefined)?.property;
  const items = (Array.isArray(list) ? list : list === undefined ? [] : [list]) as {
    name?: unknown;
    value?: unknown;
  }[];
  return new Map(
    items.flatMap(({ name, value }) =>
      typeof name === 'string' ? [[name, String(value ?? '')] as const] : [],
    ),
  );
}
