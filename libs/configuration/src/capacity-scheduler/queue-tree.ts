import { configurationLimits } from '#contracts';
import type { Place } from '#contracts/api';
import { quoted } from '../field.js';
import { type Keys, scheduler } from './keys.js';

const queueName = /^[a-zA-Z0-9_:#/@-]{1,64}$/;

/** A queue as named in `queues` of its parent. */
export interface NamedQueue {
  /** As written in keys, which are case-sensitive. */
  writtenPath: string;
  /** In lower case, as queues are stored. */
  path: string;
  children: NamedQueue[];
  /** Where it is named. */
  origin: { path: string } & Place;
}

/** The queues that a configuration names, from `yarn.scheduler.capacity.root.queues` down. */
export function readQueueTree(keys: Keys): NamedQueue {
  const root: NamedQueue = {
    writtenPath: 'root',
    path: 'root',
    children: [],
    origin: { path: listKey('root') },
  };
  let count = 1;
  let depth = 0;
  for (let level = [root]; level.length > 0; level = level.flatMap(({ children }) => children)) {
    if (++depth > configurationLimits.depth) {
      keys.problems.error('', `more than ${configurationLimits.depth} levels of queues; nest less`, {});
      return root;
    }
    for (const parent of level) {
      count += readChildren(parent, keys);
      if (count > configurationLimits.queues) {
        keys.problems.error(
          listKey(parent.writtenPath),
          `more than ${configurationLimits.queues} queues`,
          {},
        );
        return root;
      }
    }
  }
  if (root.children.length === 0 && !keys.problems.any) {
    const property = keys.get(listKey('root'));
    const names = [...keys.names()];
    const isOther = !names.some((name) => name.startsWith(scheduler));
    const message =
      isOther && names.length > 0
        ? `no key begins with ${scheduler}, so this is no capacity-scheduler.xml; give that file, and another one of YARN with --yarn-site`
        : 'root has queues; name one or more, such as default';
    keys.problems.error(listKey('root'), message, property ?? {});
  }
  return root;
}

function readChildren(parent: NamedQueue, keys: Keys): number {
  const key = listKey(parent.writtenPath);
  const property = keys.take(key);
  if (property === undefined) return 0;
  const seen = new Set<string>();
  // As in Hadoop, a comma without a name behind it names nothing.
  const names = property.value.split(',').map((part) => part.trim());
  for (const name of names.filter((written) => written !== '')) {
    if (!queueName.test(name)) {
      const rule = '1 to 64 of the characters a-z A-Z 0-9 _ : # / @ -';
      keys.refuse(key, `a queue name has ${rule}, not ${quoted(name)}; separate names by commas`);
    } else if (seen.has(name.toLowerCase())) {
      keys.problems.error(key, `${quoted(name)} occurs twice here; case does not count`, property);
    } else {
      seen.add(name.toLowerCase());
      const writtenPath = `${parent.writtenPath}.${name}`;
      parent.children.push({
        writtenPath,
        path: writtenPath.toLowerCase(),
        children: [],
        origin: { ...property, path: key },
      });
    }
  }
  return parent.children.length;
}

/** The key that lists the queues below a queue. */
export const listKey = (path: string): string => `${scheduler}${path}.queues`;
