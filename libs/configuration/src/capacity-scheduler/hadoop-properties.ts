import type { ConfigurationFormat } from '#contracts';
import type { Field } from '../field.js';
import { Problems } from '../problems.js';
import { readYaml } from '../yaml-source.js';
import { readHadoopXml } from './hadoop-xml.js';
import {
  hasProperties,
  isPropertyLines,
  type Property,
  propertiesOfJson,
  readPropertyLines,
} from './properties.js';
import { hadoopSectionsIn, propertiesOfSections, yarnSiteOf } from './sections.js';
import { withPropertiesOfYarnSite } from './yarn-site.js';

/** A file with its name in messages. */
export interface NamedText {
  text: string;
  file: string;
}

/** Whether a text has properties of YARN, and is neither YAML nor JSON: it is XML, or lines `name=value`. */
export function isHadoopText(text: string, format: ConfigurationFormat | undefined): boolean {
  if (format !== undefined && format !== 'capacity-scheduler') return false;
  const begin = text.slice(0, 10_000).trimStart();
  if (begin.startsWith('<') || isPropertyLines(begin)) return true;
  // A text of this format that begins otherwise is broken XML, unless it is a definition in YAML.
  return format === 'capacity-scheduler' && !/^[{[]/.test(begin) && !ofDefinitions.test(begin);
}

/** Words of YARN in YAML: its keys, or the names of its files. */
const ofDefinitions = /^[^<]*(yarn\.|capacity-scheduler)/i;

/** The properties of such a text; undefined if a problem hides them. */
export function propertiesOfText(text: string, problems: Problems): Property[] | undefined {
  return isPropertyLines(text)
    ? readPropertyLines(text, problems, (line) => ({ line, column: 1 }))
    : readHadoopXml(text, problems);
}

/** The properties of YARN in YAML or JSON: a file of Hadoop in another document, or an answer of YARN. */
export function propertiesOfField(field: Field, problems: Problems): Property[] | undefined {
  const sections = field.kind === 'mapping' && hasProperties(field) ? undefined : hadoopSectionsIn(field);
  return sections === undefined
    ? propertiesOfJson(field, problems)
    : propertiesOfSections(sections, field, problems);
}

/** With the related properties of `yarn-site.xml`, where that is given. */
export function withYarnSite(
  properties: Property[] | undefined,
  yarnSite: NamedText | undefined,
  problems: Problems,
): Property[] | undefined {
  if (yarnSite === undefined) return properties;
  const further = propertiesOfYarnSite(yarnSite, problems);
  return properties && further && withPropertiesOfYarnSite(properties, further, problems);
}

function propertiesOfYarnSite({ text, file }: NamedText, problems: Problems): Property[] | undefined {
  const inside = new Problems();
  const properties = siteIn(text, inside);
  for (const { path, message, ...place } of inside.errors())
    problems.error(path, message, { ...place, file });
  return inside.any ? undefined : properties?.map((property) => ({ ...property, file }));
}

function siteIn(text: string, problems: Problems): Property[] | undefined {
  if (isHadoopText(text, 'capacity-scheduler')) return propertiesOfText(text, problems);
  const field = readYaml(text, problems);
  return field && (yarnSiteOf(field, problems) ?? propertiesOfJson(field, problems));
}

/** Both files as one, to be sent or kept. A file that was read but is invalid is returned alone. */
export function joinYarnSite(text: string, yarnSite: NamedText): string {
  const problems = new Problems();
  const properties = withYarnSite(propertiesOfAny(text, problems), yarnSite, problems);
  return properties === undefined ? text : writeHadoopXml(properties);
}

/** A configuration to give to the scheduler, or to read again; undefined if it is unreadable. */
export function rewriteHadoopXml(text: string): string | undefined {
  const problems = new Problems();
  const properties = propertiesOfAny(text, problems);
  return properties && !problems.any ? writeHadoopXml(properties) : undefined;
}

function propertiesOfAny(text: string, problems: Problems): Property[] | undefined {
  if (isHadoopText(text, 'capacity-scheduler')) return propertiesOfText(text, problems);
  const field = readYaml(text, problems);
  return field && propertiesOfField(field, problems);
}

/** Properties as a Hadoop configuration; `readHadoopXml` returns the same names and values. */
export function writeHadoopXml(properties: Iterable<Pick<Property, 'name' | 'value'>>): string {
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<configuration>'];
  for (const { name, value } of properties) {
    lines.push(
      '  <property>',
      `    <name>${escaped(name)}</name>`,
      `    <value>${escaped(value)}</value>`,
      '  </property>',
    );
  }
  return [...lines, '</configuration>', ''].join('\n');
}

/** An unescaped carriage return would be read as a newline. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
}
