import { isObject } from '../is-object.js';
import type { QueueWithProperties } from './queue-settings.js';

/** The property of root that names the node labels of YARN in its configuration. docs/reference/configuration.md, "Node labels" */
export const nodeLabelsProperty = 'nodeLabels';

/** Stands for labels whose names the configuration does not have. */
export const unnamedLabels = '*';

/**
 * The node labels that a configuration has. YARN then takes capacities and usage of the nodes without a label alone, and those of each label
 * apart; Curtail counts all nodes alike, so nothing may be planned in the partition.
 *
 * @param queues those with root, with their properties.
 * @returns empty: none, so all nodes count.
 */
export function nodeLabelsOf(queues: Iterable<QueueWithProperties>): readonly string[] {
  for (const { path, properties } of queues) if (!path.includes('.')) return nodeLabelsIn(properties);
  return [];
}

/** The same, of the properties of root. */
export function nodeLabelsIn(properties: unknown): readonly string[] {
  const labels = isObject(properties) ? properties[nodeLabelsProperty] : undefined;
  return Array.isArray(labels) ? labels.map(String) : [];
}

/** The field of answers with these labels; no field where there are none. */
export function nodeLabelsField(labels: readonly string[]): { nodeLabels?: string[] } {
  return labels.length === 0 ? {} : { nodeLabels: [...labels] };
}

/** `node labels (CARD, CORE)`. */
export function nodeLabelsText(labels: readonly string[]): string {
  const named = labels.filter((label) => label !== unnamedLabels);
  return named.length === 0 ? 'node labels' : `node labels (${named.join(', ')})`;
}

/** Why nothing is enforced, a sentence. */
export function nodeLabelsSentence(labels: readonly string[]): string {
  return `The configuration of the partition has ${nodeLabelsText(labels)}, which Curtail does not count: nothing is enforced in it.`;
}

/** What to do about it, without a full stop. */
export const nodeLabelsRemedy =
  'if no node has a label, remove the keys of node labels from the file that you apply; else see docs/reference/configuration.md, "Node labels"';
