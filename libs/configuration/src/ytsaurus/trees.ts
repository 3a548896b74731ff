import type { Place } from '#contracts/api';
import { at, type Entry, type Field } from '../field.js';
import type { Problems } from '../problems.js';
import { attributesOfCurtail, attributesOfPool, limitsOfPool } from './attributes.js';
import { isPrinted, type Node, nodeOf } from './node.js';
import { mappingOf } from './values.js';

/** A tree, before it is read. */
export interface NamedTree {
  name: string;
  value: Field;
  /** Of the name. */
  key: Place;
  path: string;
  /** Whether `yt get` printed it. */
  isPrinted: boolean;
  /** It has no name of its own. */
  isUnnamed: boolean;
}

const attributesToAskFor =
  'config strong_guarantee_resources resource_limits max_share_ratio integral_guarantees weight mode'
    .split(' ')
    .map((name) => `--attribute ${name}`)
    .join(' ');

/**
 * The trees of a configuration: below `pool_trees`, as `yt get //sys/pool_trees` prints them, or a single one as `yt get
 * //sys/pool_trees/TREE` prints it, which has no name. Where attributes do not tell these apart, none is read: pools that were taken for
 * trees would lose their guarantees. docs/reference/configuration.md, "Pool trees"
 *
 * @param partition the name of a single tree.
 * @param isYson whether YTsaurus printed all of it.
 */
export function treesIn(field: Field, partition: string, isYson: boolean, problems: Problems): NamedTree[] {
  const named = field.kind === 'mapping' ? field.entries.get('pool_trees') : undefined;
  if (named !== undefined) {
    for (const [key, entry] of field.kind === 'mapping' ? field.entries : []) {
      if (key !== 'pool_trees')
        problems.error(at('', key), 'nothing is allowed beside pool_trees', entry.key);
    }
    return below(named.value, 'pool_trees', isYson, problems);
  }
  const single: NamedTree = {
    name: partition,
    value: field,
    key: field,
    path: '',
    isPrinted: isYson || isPrinted(field),
    isUnnamed: true,
  };
  if (field.kind !== 'mapping') return below(field, '', isYson, problems);
  if (isPrinted(field)) {
    const { attributes } = nodeOf(field, '', problems) as Node;
    const kind = kindBy(attributes);
    if (kind === 'tree') return [single];
    if (kind === 'pool') {
      const message =
        'this is one pool, and a plan needs all of its tree; give the output of `yt get //sys/pool_trees/TREE`';
      problems.error('', message, field);
      return [];
    }
  } else if (field.entries.has('pools')) return [single];
  const found = below(field, '', isYson || isPrinted(field), problems);
  const kinds = new Set(found.map(({ value }) => kindOf(value)));
  if (kinds.has('tree') && !kinds.has('pool')) return found;
  if (kinds.has('pool') && !kinds.has('tree')) return [{ ...single, isPrinted: true }];
  if (found.length > 0) problems.error('', whatIsUnclear(kinds, field), field);
  return [];
}

function below(field: Field, path: string, isYson: boolean, problems: Problems): NamedTree[] {
  const node = isPrinted(field) ? nodeOf(field, path, problems) : undefined;
  const entries = node?.children ?? mappingOf(field, path, problems) ?? new Map<string, Entry>();
  return [...entries].map(([name, { key, value }]) => ({
    name,
    value,
    key,
    path: at(node?.childrenPath ?? path, name),
    isPrinted: isYson || node !== undefined,
    isUnnamed: false,
  }));
}

function whatIsUnclear(kinds: ReadonlySet<string | undefined>, field: Field): string {
  if (kinds.size > 1) return 'some of these are trees, others are pools; give one tree, or all of them';
  if (!hasAttributes(field)) {
    return `nothing here has attributes, so no pool would have a guarantee; print them as well: yt get //sys/pool_trees ${attributesToAskFor}`;
  }
  return 'these may be trees, or the pools of one tree; print the attribute config as well (yt get --attribute config), or write the trees below pool_trees';
}

const ofTree = ['config', ...attributesOfCurtail];
const ofPool = [...limitsOfPool, ...Object.keys(attributesOfPool)];

function kindOf(field: Field): 'tree' | 'pool' | undefined {
  if (field.kind !== 'mapping') return undefined;
  if (!isPrinted(field)) {
    const kind = kindBy(field.entries);
    return kind === undefined && field.entries.has('pools') ? 'tree' : kind;
  }
  const attributes = field.entries.get('$attributes')?.value;
  return attributes?.kind === 'mapping' ? kindBy(attributes.entries) : undefined;
}

function kindBy(attributes: ReadonlyMap<string, Entry>): 'tree' | 'pool' | undefined {
  const type = attributes.get('type')?.value;
  const written = type?.kind === 'scalar' ? type.text : undefined;
  if (written === 'scheduler_pool_tree' || ofTree.some((name) => attributes.has(name))) return 'tree';
  return written === 'scheduler_pool' || ofPool.some((name) => attributes.has(name)) ? 'pool' : undefined;
}

/** Whether something below is as `yt get` prints it, attributes included. */
export function hasAttributes(field: Field): boolean {
  const waiting = [field];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isPrinted(next)) return true;
    if (next.kind === 'mapping') for (const { value } of next.entries.values()) waiting.push(value);
  }
  return false;
}
