import { Problems } from '../problems.js';
import { readHadoopXml } from './hadoop-xml.js';
import { labelExpressions, labelsEnabled, monitorEnabled, preemption } from './key-names.js';
import type { Property } from './property.js';
import { writeHadoopXml } from './write-hadoop-xml.js';

/** Keys of `yarn-site.xml` about the scheduler, its preemption and node labels. The others are ignored. */
const prefixes = ['yarn.scheduler.', preemption, monitorEnabled, labelsEnabled, ...labelExpressions];

/**
 * The properties of `capacity-scheduler.xml` and the related ones of `yarn-site.xml`. YARN reads the former later, so it wins where both
 * set a key.
 */
export function withYarnSite(
  properties: Property[] | undefined,
  yarnSite: { text: string; file: string } | undefined,
  problems: Problems,
): Property[] | undefined {
  if (yarnSite === undefined) return properties;
  const further = readHadoopXml(yarnSite.text, problems, yarnSite.file);
  if (properties === undefined || further === undefined) return undefined;
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

/** Both files as one, to be sent or kept. A file that was read but is invalid is returned alone. */
export function joinYarnSite(text: string, yarnSite: { text: string; file: string }): string {
  const problems = new Problems();
  const properties = withYarnSite(readHadoopXml(text, problems), yarnSite, problems);
  return properties === undefined ? text : writeHadoopXml(properties);
}

/** A configuration to give to the scheduler, or to read again; undefined if it is unreadable. */
export function rewriteHadoopXml(text: string): string | undefined {
  const properties = readHadoopXml(text, new Problems());
  return properties && writeHadoopXml(properties);
}
