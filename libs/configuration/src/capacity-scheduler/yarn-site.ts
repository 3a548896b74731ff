import type { Problems } from '../problems.js';
import { labelExpressions, labelsEnabled, monitorEnabled, preemption, schedulerClass } from './keys.js';
import type { Property } from './properties.js';

/** Keys of `yarn-site.xml` about the scheduler, its preemption and node labels. The others are ignored. */
const prefixes = [
  'yarn.scheduler.',
  schedulerClass,
  preemption,
  monitorEnabled,
  labelsEnabled,
  ...labelExpressions,
];

/**
 * The properties of `capacity-scheduler.xml` and the related ones of `yarn-site.xml`. YARN reads the former later, so it wins where both
 * set a key.
 */
export function withPropertiesOfYarnSite(
  properties: Property[],
  further: readonly Property[],
  problems: Problems,
): Property[] {
  const known = new Map(properties.map((property) => [property.name, property]));
  const added = further.filter((property) => {
    const other = known.get(property.name);
    if (other !== undefined && other.value !== property.value) {
      const message = 'has no effect: the other file sets this key too, and takes precedence';
      problems.warning('without-effect', property.name, message, property);
    }
    return other === undefined && prefixes.some((prefix) => property.name.startsWith(prefix));
  });
  return [...properties, ...added];
}
