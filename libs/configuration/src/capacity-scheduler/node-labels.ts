import { nodeLabelsText, unnamedLabels } from '#contracts';
import { type Keys, labelExpressions, labelsEnabled, scheduler } from './keys.js';
import type { Property } from './properties.js';

/** A key about node labels, after `yarn.scheduler.capacity.`: of the labels that a queue may use, of one of them, or of its default. */
const ofLabels =
  /^root(?:\.[^.]+)*?\.(?:(accessible-node-labels)|accessible-node-labels\.(.+)\.[^.]+|(default-node-label-expression))$/;

/**
 * The node labels that a configuration names, sorted. With labels YARN splits the cluster: capacities, limits and usage of a queue are
 * those on nodes without a label, and each label has its own. `*` alone (YARN's default for root) names none. Each key has a warning, and
 * the first one says what follows for the partition. docs/reference/configuration.md, "Node labels"
 */
export function readNodeLabels(keys: Keys): readonly string[] {
  const found = new Set<string>();
  let first: Property | undefined;
  const note = (property: Property, labels: readonly string[], message: string) => {
    if (labels.length === 0) return;
    first ??= property;
    for (const label of labels) found.add(label);
    keys.problems.warning('without-effect', property.name, message, property);
  };
  for (const name of keys.names()) {
    const property = keys.get(name);
    if (!property) continue;
    if (name === labelsEnabled) {
      const isOn = keys.truth(name) === true;
      note(property, isOn ? [unnamedLabels] : [], 'Curtail does not count node labels');
    } else if (labelExpressions.includes(name)) {
      keys.take(name);
      note(property, listed(property.value), 'has no effect: Curtail does not count node labels');
    } else if (name.startsWith(scheduler)) {
      const [, list, label, expression] = ofLabels.exec(name.slice(scheduler.length)) ?? [];
      if (label !== undefined) {
        const message = `has no effect: Curtail does not count node labels, and YARN takes it of the nodes with label ${label} alone`;
        note(property, label === unnamedLabels ? [] : [label], message);
      } else if (list ?? expression) {
        note(property, listed(property.value), 'has no effect: Curtail does not count node labels');
      }
    }
  }
  if (!first) return [];
  const labels = named([...found].sort());
  keys.problems.warning(
    'node-labels',
    first.name,
    `with ${nodeLabelsText(labels)} YARN takes capacities, maxima and usage of the nodes without a label alone, and Curtail would take them of all nodes: no quota of this partition is enforced, and in-queue preemption is off. If no node has a label, remove the keys of node labels; else see docs/reference/configuration.md, "Node labels"`,
    first,
  );
  return labels;
}

/** Labels of a list such as `CARD,CORE`, or of an expression. `*` stands for all, `<DEFAULT_PARTITION>` for nodes without a label. */
function listed(value: string): string[] {
  return value
    .split(/,|&&|\|\|/)
    .map((label) => label.trim())
    .filter((label) => label !== '' && label !== unnamedLabels && !/^<.*>$/.test(label));
}

/** Unnamed ones count only where no other is known. */
function named(labels: readonly string[]): readonly string[] {
  const others = labels.filter((label) => label !== unnamedLabels);
  return others.length > 0 ? others : labels;
}
