import { createHash } from 'node:crypto';
import { attributesOfPoolTrees } from '#configuration';
import { isObject } from '#contracts';
import { fieldsOf, listIn } from '../yunikorn/fields.js';
import type { YtReads } from './yt-api.js';
import { YtError } from './yt-error.js';

const pathOfTrees = '//sys/pool_trees';
/** Both names of the time that a victim has to finish. docs/reference/policies/fair-share.md §15 */
const timeoutNames = ['allocation_preemption_timeout', 'job_interrupt_timeout'] as const;
const usualTimeoutMs = 10_000;
/** A name that can be part of a queue's path. */
const poolName = /^[A-Za-z0-9_:-]{1,64}$/;

/** A tree as Cypress has it. */
export interface PoolTree {
  /** As `yt get //sys/pool_trees/TREE` prints it. */
  printed: unknown;
  /** Changes with its revisions, and with its content where it tells none. */
  revision: string;
  /** The paths of its pools by name, in lower case: `root.prod.batch`. */
  paths: ReadonlyMap<string, string>;
  /** The time that a victim has to finish, in milliseconds. */
  preemptionTimeoutMs: number;
}

/** @throws YtError or InputError */
export async function readPoolTree(
  api: YtReads,
  tree: string,
  before: PoolTree | undefined,
): Promise<PoolTree> {
  const path = `${pathOfTrees}/${tree}`;
  const asked = { path, attributes: ['revision'], return_only_value: true };
  const revision = await api.readKept('get', asked, (revisions) =>
    everyNode(revisions, (own) => own.revision !== undefined) ? digestOf(revisions) : undefined,
  );
  if (before !== undefined && revision === before.revision) return before;
  const printed = await api.get(path, { attributes: attributesOfPoolTrees });
  const pools = contentOf(printed);
  if (!isObject(pools)) {
    throw new YtError(
      'no-tree',
      `${path} at ${api.url} is no pool tree: it has no pools below it. Name a tree with --ytsaurus-tree (CURTAIL_YTSAURUS_TREE).`,
    );
  }
  return {
    printed: withAttributes(printed),
    revision: revision ?? digestOf(printed),
    paths: pathsOf(pools),
    preemptionTimeoutMs: timeoutOf(attributesOf(printed).config),
  };
}

/**
 * The tree to watch: the named one, else the default tree of the cluster, else its only one.
 *
 * @throws YtError that names the trees there are.
 */
export async function chooseTree(api: YtReads, named: string | undefined): Promise<string> {
  const trees = listIn(await api.read('list', { path: pathOfTrees, return_only_value: true }), 'trees').map(
    nameOf,
  );
  const remedy = 'Name one with --ytsaurus-tree (CURTAIL_YTSAURUS_TREE)';
  const there = trees.length === 0 ? 'it has none' : `it has ${trees.join(', ')}`;
  if (named !== undefined) {
    if (trees.includes(named)) return named;
    throw new YtError('no-tree', `${api.url} has no pool tree ${named}: ${there}. ${remedy}.`);
  }
  const usual = await api.find(`${pathOfTrees}/@default_tree`);
  if (typeof usual === 'string' && trees.includes(usual)) return usual;
  const [only, ...others] = trees;
  if (only !== undefined && others.length === 0) return only;
  throw new YtError('no-tree', `${api.url} names no default pool tree: ${there}. ${remedy}.`);
}

const nameOf = (value: unknown): string => String(contentOf(value));

/** The path of the pool that an operation counts in: its own, else, for one that YTsaurus has made by itself, the nearest above it that is configured. */
export function pathIn({ paths }: PoolTree, pool: string, parents: ReadonlyMap<string, string>): string {
  const passed = new Set<string>();
  for (let at = pool; !passed.has(at); ) {
    const path = paths.get(at.toLowerCase());
    if (path !== undefined) return path;
    passed.add(at);
    const parent = parents.get(at);
    if (parent === undefined) break;
    at = parent;
  }
  return 'root';
}

/** The pool above each pool, as the orchid shows them. */
export function readParents(answer: unknown): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(fieldsOf(answer, 'pools')).flatMap(([name, value]) => {
      const parent = isObject(value) ? (value as { parent?: unknown }).parent : undefined;
      return typeof parent === 'string' ? [[name, parent] as const] : [];
    }),
  );
}

function pathsOf(pools: object, above = 'root', paths = new Map<string, string>()): Map<string, string> {
  for (const [name, value] of Object.entries(pools)) {
    // The reader of configurations refuses such a name, and says so.
    if (!poolName.test(name)) continue;
    const path = `${above}.${name.toLowerCase()}`;
    paths.set(name.toLowerCase(), path);
    const below = contentOf(value);
    if (isObject(below)) pathsOf(below, path, paths);
  }
  return paths;
}

const contentOf = (value: unknown): unknown =>
  isObject(value) && '$value' in value ? (value as { $value: unknown }).$value : value;

const attributesOf = (value: unknown): Record<string, unknown> =>
  isObject(value) && isObject((value as { $attributes?: unknown }).$attributes)
    ? (value as { $attributes: Record<string, unknown> }).$attributes
    : {};

/** A tree without attributes is printed as its pools alone: so marked, it is no pool. */
function withAttributes(printed: unknown): unknown {
  const { config, ...further } = attributesOf(printed);
  return { $attributes: { config: config ?? {}, ...further }, $value: contentOf(printed) };
}

function timeoutOf(config: unknown): number {
  if (!isObject(config)) return usualTimeoutMs;
  for (const name of timeoutNames) {
    const value = (config as Record<string, unknown>)[name];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  }
  return usualTimeoutMs;
}

function everyNode(value: unknown, is: (own: Record<string, unknown>) => boolean): boolean {
  if (!is(attributesOf(value))) return false;
  const below = contentOf(value);
  return !isObject(below) || Object.values(below).every((one) => everyNode(one, is));
}

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
