import { type DumpDifference, dumpKeys, readStateDump, type StateDump, withUnlisted } from '#agents/yunikorn';
import { type ClusterSnapshot, InputError, meantQueue } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { amountsText } from '../output/amounts.js';
import { CommandError } from '../terminal/errors.js';
import { parseJsonText, wholeKeys, withJsonFile } from './json.js';
import { isYarnGiven, type YarnOptions } from './yarn-cluster.js';

export interface DumpOptions extends YarnOptions {
  partition: string;
  /** A full state dump of YuniKorn. */
  statedump?: string;
  /** Whether allocations may be missing. */
  allowDifference?: boolean | undefined;
}

/** The state of a cluster, with its name in messages. */
export interface NamedDump extends StateDump {
  name: string;
  /** Of YARN: properties that count in a configuration to try, where it has none of their names. */
  defaults?: ReadonlyMap<string, string>;
}

/** Whether a plan is for a state of a cluster, in place of a running Curtail. */
export const isDumpGiven = (options: Pick<DumpOptions, 'statedump' | 'yarnUrl' | 'yarnAnswers'>): boolean =>
  options.statedump !== undefined || isYarnGiven(options);

/**
 * Reads a full state dump of YuniKorn, or a cluster of YARN.
 *
 * @throws CommandError where its allocations do not add up to what its queues say, unless that is allowed.
 */
export async function readDump(
  invocation: Invocation,
  { statedump, allowDifference = false, ...options }: DumpOptions,
): Promise<NamedDump> {
  if (statedump !== undefined && isYarnGiven(options)) {
    throw new CommandError('give either --statedump, --yarn-url or --yarn-answers');
  }
  const dump = statedump === undefined ? await readYarn(invocation, options) : await readYunikorn(statedump);
  assertAddsUp(dump, allowDifference);
  return { ...dump, ...withUnlisted(dump) };

  async function readYunikorn(file: string): Promise<NamedDump> {
    const { terminal } = invocation;
    const read = (value: unknown) => readStateDump(value, options.partition);
    return { name: nameOf(file), ...(await withJsonFile(file, terminal, read, parseDump)) };
  }
}

/** @throws CommandError where its allocations do not add up to what its queues say, unless that is allowed. */
export function assertAddsUp(
  { name, differences }: Pick<NamedDump, 'name' | 'differences'>,
  allowDifference = false,
): void {
  if (differences.length === 0 || allowDifference) return;
  throw new CommandError(`${name}: its allocations do not add up to what its queues have`, {
    list: differences.slice(0, mostShown).map(differenceText),
    next: 'take it again, whole; or add --allow-difference to plan with what it lists',
  });
}

async function readYarn(invocation: Invocation, options: DumpOptions): Promise<NamedDump> {
  // Loaded only where it is used.
  const { readYarnCluster } = await import('./yarn-cluster.js');
  const { name, cluster } = await readYarnCluster(invocation, options);
  if (cluster.notInForce !== undefined) invocation.report(`warning: ${cluster.notInForce}`);
  return { name, ...cluster };
}

const mostShown = 20;
const nameOf = (file: string) => (file === '-' ? '<stdin>' : file);

/** `root.prod has 18 vcore allocated, and lists allocations with 6 vcore` */
export function differenceText({ queue, allocated, listed }: DumpDifference): string {
  return `${queue} has ${amountsText(allocated)} allocated, and lists allocations with ${amountsText(listed)}`;
}

/** @throws CommandError with the queue that may be meant. */
export function assertQueueOfDump(queue: string, { queues }: ClusterSnapshot, file: string): void {
  const paths = queues.map(({ path }) => path);
  if (paths.includes(queue)) return;
  const meant = meantQueue(queue, paths);
  const first = paths.slice(0, mostNamed).join(', ');
  const right =
    meant === undefined
      ? `; it has ${first}${paths.length > mostNamed ? ', …' : ''}`
      : `; did you mean ${meant}?`;
  throw new CommandError(`there is no queue ${queue} in ${file}${right}`);
}

const mostNamed = 5;

/** @throws InputError that names what a truncated dump lacks. */
function parseDump(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const whole = wholeKeys(text);
    const missing = dumpKeys.filter((key) => !whole.includes(key));
    const lost = missing.length > 0 ? `; of a whole state dump it lacks ${missing.join(', ')}` : '';
    throw new InputError(error.path, `${error.message}${lost}`, error.line, error.column);
  }
}

/** Every resource type of an allocation, pending request or node in a snapshot (or in a plan's input). */
export function resourceTypesOf(input: unknown): ReadonlySet<string> {
  const whole = fieldsOf(input);
  const snapshot = whole?.snapshot === undefined ? whole : fieldsOf(whole.snapshot);
  if (!Array.isArray(snapshot?.allocations)) {
    throw new InputError('allocations', 'a snapshot has a list of allocations; give a ClusterSnapshot');
  }
  const applications = listOf(snapshot.applications);
  const amounts = [
    ...listOf(snapshot.allocations).map(({ resources }) => resources),
    ...listOf(snapshot.nodes).map(({ capacity }) => capacity),
    ...applications.flatMap(({ pending }) => listOf(pending).map(({ resources }) => resources)),
  ];
  const types = new Set<string>();
  for (const amount of amounts) for (const type of Object.keys(fieldsOf(amount) ?? {})) types.add(type);
  return types;
}

function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((item) => fieldsOf(item) ?? {}) : [];
}
