import { nodeLabelsIn } from '#contracts';
import type { QueueSnapshot } from './by-queue.js';

/**
 * The node labels of the configuration: max, guaranteed amounts and usage of a snapshot are then not those of the scheduler, and nothing may be
 * planned by them. docs/reference/configuration.md, "Node labels"
 */
export function nodeLabelsOf({ queues }: Pick<QueueSnapshot, 'queues'>): readonly string[] {
  const root = queues.number.get('root');
  return root === undefined ? [] : nodeLabelsIn(queues.properties[root]);
}
