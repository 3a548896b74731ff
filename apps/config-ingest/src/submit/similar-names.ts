import { nearestOf, ofPartition, ofQueue } from '#contracts';
import type { ConfigurationWarning } from '#contracts/api';

interface Named {
  path: string;
}

/** If more queues are added or removed, none are compared: that is no slip, and comparing each with each would hold up the process. */
const mostCompared = 100;
/** A shorter name is always nearly another one. */
const fewestLetters = 4;

/** The queue that takes the place of a removed one with nearly the same path, by the removed one: its name may be misspelt. */
export function similarQueues(
  before: readonly Named[],
  after: readonly Named[],
): ReadonlyMap<string, string> {
  const added = pathsWithout(after, before);
  const removed = pathsWithout(before, after);
  const similar = new Map<string, string>();
  if (added.length > mostCompared || removed.length > mostCompared) return similar;
  for (const path of added) {
    const other = similarName(path, removed);
    if (other !== undefined && !similar.has(other)) similar.set(other, path);
  }
  return similar;
}

/** The paths of queues that are not among the others. */
export function pathsWithout(queues: readonly Named[], others: readonly Named[]): string[] {
  const left = new Set(others.map(({ path }) => path));
  return queues.flatMap(({ path }) => (left.has(path) ? [] : [path]));
}

export function similarQueueWarnings(
  before: readonly Named[],
  after: readonly Named[],
): ConfigurationWarning[] {
  return [...similarQueues(before, after)].map(([removed, path]) => ({
    code: 'similar-name',
    path,
    about: ofQueue(path),
    message: `it is new, and ${removed} is removed: is its name right?`,
  }));
}

/** @param known those with a configuration. */
export function similarPartitionWarnings(
  partition: string,
  known: readonly string[],
): ConfigurationWarning[] {
  const other = known.includes(partition) ? undefined : similarName(partition, known);
  if (other === undefined) return [];
  const message = `it has no configuration yet, and partition ${other} has one: is its name right?`;
  return [{ code: 'similar-name', path: `partition ${partition}`, message, about: ofPartition(partition) }];
}

/** Names that differ in their digits alone are those of a series. */
function similarName(name: string, known: readonly string[]): string | undefined {
  const other = nearestOf(name, known);
  const isSeries = other !== undefined && withoutDigits(other) === withoutDigits(name);
  const letters = Math.max(...[name, other ?? ''].map((one) => one.split('.').at(-1)!.length));
  return isSeries || letters < fewestLetters ? undefined : other;
}

const withoutDigits = (name: string) => name.replace(/\d/g, '');
