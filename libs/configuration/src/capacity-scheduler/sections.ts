import type { Place } from '#contracts/api';
import { at, type Field, type Mapping } from '../field.js';
import type { Problems } from '../problems.js';
import { readHadoopXml } from './hadoop-xml.js';
import { isPropertyLines, type Property, pairsOf, readPropertyLines } from './properties.js';
import { withPropertiesOfYarnSite } from './yarn-site.js';

/** The files of Hadoop that count here. */
type File = 'capacity-scheduler' | 'yarn-site';

/** A file of Hadoop inside another document: names and values, or its text. */
interface Section {
  file: File;
  path: string;
  field: Field;
}

/** What a document holds of Hadoop: its sections, and the names of all its classifications. */
export interface HadoopSections {
  sections: Section[];
  classifications: string[];
}

/** Definitions of clusters have them a few levels down. */
const mostLevels = 12;
const fileNames: Record<string, File> = {
  'capacity-scheduler': 'capacity-scheduler',
  'capacity-scheduler.xml': 'capacity-scheduler',
  'yarn-site': 'yarn-site',
  'yarn-site.xml': 'yarn-site',
};

/**
 * The files of Hadoop in a document: EMR's `[{"Classification", "Properties", "Configurations"}]`, Ambari's `items`, `desired_config` and
 * blueprints (`{"capacity-scheduler": {"properties": …}}`), and a ConfigMap with the files as texts. Undefined for something else.
 * docs/reference/configuration.md, "capacity-scheduler.xml"
 */
export function hadoopSectionsIn(field: Field): HadoopSections | undefined {
  const sections: Section[] = [];
  const classifications = new Set<string>();
  const visit = (current: Field, path: string, depth: number): void => {
    if (depth > mostLevels || current.kind === 'scalar') return;
    if (current.kind === 'list') {
      for (const [index, item] of current.items.entries()) visit(item, `${path}[${index}]`, depth + 1);
      return;
    }
    const properties =
      mappingNamed(current, 'properties') ?? mappingNamed(current, 'configurationproperties');
    const classification = textNamed(current, 'classification');
    if (classification !== undefined) classifications.add(classification);
    const type = classification ?? textNamed(current, 'type');
    const named = type === undefined ? undefined : fileNames[type.toLowerCase()];
    if (named && properties) sections.push({ file: named, path: at(path, 'properties'), field: properties });
    for (const [key, { value }] of current.entries) {
      if (named && value === properties) continue;
      const file = fileNames[key.toLowerCase()];
      const inside = file && contentOf(value);
      if (inside) sections.push({ file, path: at(path, key), field: inside });
      else visit(value, at(path, key), depth + 1);
    }
  };
  visit(field, '', 0);
  return sections.length + classifications.size === 0
    ? undefined
    : { sections, classifications: [...classifications] };
}

/** Under the name of a file: its text, its names and values, or an object that has them as `properties`. */
function contentOf(value: Field): Field | undefined {
  if (value.kind === 'mapping') return mappingNamed(value, 'properties') ?? value;
  return value.kind === 'scalar' && isText(value.text) ? value : undefined;
}

const isText = (text: string): boolean => /^[\ufeff\s]*</.test(text) || isPropertyLines(text);

/** All properties of the sections; undefined, with a problem, if there are none, or several that differ. */
export function propertiesOfSections(
  { sections, classifications }: HadoopSections,
  { line, column }: Place,
  problems: Problems,
): Property[] | undefined {
  const scheduler = theOne('capacity-scheduler', sections, problems);
  const site = theOne('yarn-site', sections, problems);
  if (problems.any) return undefined;
  if (scheduler !== undefined) return withPropertiesOfYarnSite(scheduler, site ?? [], problems);
  const has = [...new Set([...classifications, ...sections.map(({ file }) => file)])].slice(0, 10).join(', ');
  problems.error('', `no capacity-scheduler is here, only ${has}; give the file with the queues`, {
    line,
    column,
  });
  return undefined;
}

/** The properties of a `yarn-site` in a document; undefined if it has none. */
export function yarnSiteOf(field: Field, problems: Problems): Property[] | undefined {
  return theOne('yarn-site', hadoopSectionsIn(field)?.sections ?? [], problems);
}

function theOne(file: File, sections: readonly Section[], problems: Problems): Property[] | undefined {
  const [first, ...others] = sections
    .filter((section) => section.file === file)
    .map((section) => ({ ...section, properties: read(section, problems) }));
  const other = others.find(({ properties }) => written(properties) !== written(first!.properties));
  if (other !== undefined) {
    const message = `${first!.path} and ${other.path} are both the ${file}, and differ; give the one that is in force`;
    problems.error(other.path, message, other.field);
  }
  return first?.properties;
}

function read({ field, path }: Section, problems: Problems): Property[] {
  if (field.kind === 'mapping') {
    return [...field.entries].flatMap(([name, entry]) => {
      const text = entry.value.kind === 'scalar' ? entry.value.text : undefined;
      // Ambari keeps all properties as one text, or "null" in its place.
      if (fileNames[name] === undefined || text === undefined) return pairsOf([[name, entry]], problems);
      return isText(text)
        ? read({ file: fileNames[name], path: at(path, name), field: entry.value }, problems)
        : [];
    });
  }
  if (field.kind !== 'scalar') return [];
  const { line, column, text } = field;
  if (isPropertyLines(text)) return readPropertyLines(text, problems, () => ({ line, column }));
  // Places in the inner text are none of the whole one.
  return (readHadoopXml(text, problems) ?? []).map(({ name, value }) => ({ name, value, line, column }));
}

const written = (properties: readonly Property[]): string =>
  JSON.stringify(properties.map(({ name, value }) => [name, value]).sort());

function textNamed(field: Mapping, name: string): string | undefined {
  const value = valueNamed(field, name);
  return value?.kind === 'scalar' && value.type === 'text' ? value.text : undefined;
}

function mappingNamed(field: Mapping, name: string): Mapping | undefined {
  const value = valueNamed(field, name);
  return value?.kind === 'mapping' ? value : undefined;
}

/** EMR writes names with capitals, in its older and newer interfaces and in CloudFormation. */
function valueNamed(field: Mapping, name: string): Field | undefined {
  for (const [key, { value }] of field.entries) if (key.toLowerCase() === name) return value;
  return undefined;
}
