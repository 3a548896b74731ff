import { ofPartition, ofQueue, type Subject } from '#contracts';
import type { PartitionTree, QueueTree } from './tree.js';

/**
 * The subject of a field of a configuration: the queue that it belongs to, or the partition.
 *
 * @param otherwise the partition that the configuration is for.
 */
export function subjectsOfFields(
  partitions: readonly PartitionTree[],
  otherwise: string,
): (path: string) => Subject {
  const subjects = new Map<string, Subject>();
  const visit = ({ field, path, children }: QueueTree) => {
    subjects.set(field, ofQueue(path));
    for (const child of children) visit(child);
  };
  for (const { name, origin, root } of partitions) {
    visit(root);
    // Where a partition stands at the same field as its root, the field is about the partition.
    subjects.set(origin.path, ofPartition(name));
  }
  return (path) => {
    for (let field = path; field !== ''; field = above(field)) {
      const subject = subjects.get(field);
      if (subject !== undefined) return subject;
    }
    return ofPartition(otherwise);
  };
}

/** `a.b[0].c` → `a.b[0]` → `a.b` → `a` → ``. */
const above = (field: string): string =>
  field.slice(0, Math.max(0, field.lastIndexOf('.'), field.lastIndexOf('[')));
