import {
  inQueue,
  type Keys,
  ofAQueue,
  ofTheScheduler,
  preemption,
  scheduler,
  withoutEffect,
} from './keys.js';
import { listKey, type NamedQueue } from './queue-tree.js';

const listedAtMost = 10;

/**
 * Warns of keys that have no effect here: unknown keys, which may be misspelt, and keys that may be expected to have an effect. They are
 * kept. Lists names only: values may contain secrets.
 */
export function warnOfUnknownKeys(root: NamedQueue, keys: Keys): void {
  const paths = new Set<string>();
  const visit = (queue: NamedQueue) => {
    paths.add(queue.writtenPath);
    queue.children.forEach(visit);
  };
  visit(root);
  const elsewhere: string[] = [];
  for (const name of keys.names()) {
    if (keys.isTaken(name)) continue;
    const place = keys.get(name) ?? {};
    if (withoutEffect.includes(name)) {
      keys.problems.warning('without-effect', name, 'is kept, and has no effect here', place);
    } else if (name.startsWith(scheduler)) {
      const message = faultOf(name.slice(scheduler.length), paths, keys);
      if (message !== undefined) keys.problems.warning('unknown-key', name, message, place);
    } else if (name.startsWith(preemption) || name.startsWith(inQueue)) {
      keys.problems.warning(
        'unknown-key',
        name,
        'unknown key; is the name right? It is kept, without effect',
        place,
      );
    } else {
      elsewhere.push(name);
    }
  }
  if (elsewhere.length > 0) {
    const more = elsewhere.length > listedAtMost ? `, and ${elsewhere.length - listedAtMost} more` : '';
    const listed = `${elsewhere.slice(0, listedAtMost).join(', ')}${more}`;
    keys.problems.warning(
      'unknown-key',
      '',
      `kept without effect, since they do not concern queues: ${listed}`,
      {},
    );
  }
}

/** Undefined for a key that the scheduler has and that has no effect here. */
function faultOf(name: string, paths: ReadonlySet<string>, keys: Keys): string | undefined {
  if (!name.startsWith('root.')) {
    return ofTheScheduler.test(name)
      ? undefined
      : 'unknown key; is the name right? It is kept, without effect';
  }
  let path = name;
  while (!paths.has(path)) path = path.slice(0, path.lastIndexOf('.'));
  if (path === name) path = path.slice(0, path.lastIndexOf('.'));
  const rest = name.slice(path.length + 1);
  // Which queues an unreadable list names is unknown.
  if (ofAQueue.test(rest) || keys.isUnreadable(listKey(path))) return undefined;
  return `neither a key of the queue ${path} nor a queue that its \`queues\` names; it is kept, without effect`;
}
