import {
  type ConfigurationFormat,
  configurationFormats,
  type GuaranteedEqualsMax,
  InputError,
  isObject,
  parseQuantity,
} from '#contracts';
import { describe, type Field, isNull, type Mapping, truthOf } from './field.js';
import { Problems } from './problems.js';
import { type ConfigurationOptions, readConfiguration, readHeld } from './read-configuration.js';
import type { ConfigurationResult } from './result.js';
import { readYaml } from './yaml-source.js';

/**
 * One line of a batch: `{"format": "yunikorn", "config": {…}}` as JSON text, where `config` may also be the text of a configuration,
 * YAML or XML. Of `settings`, `delayInheritance` and `guaranteedEqualsMax` apply. Columns count within the line. docs/reference/cli.md
 *
 * @throws InputError if the line itself is invalid; problems of the configuration are in the result.
 */
export function readConfigurationLine(line: string, options: ConfigurationOptions = {}): ConfigurationResult {
  const { entries, inConfig } = readLine(line, options);
  const format = entries.get('format')?.value;
  const known = format === undefined || isNull(format) ? 'yunikorn' : formatNamed(format);
  const config = entries.get('config')?.value;
  if (config === undefined)
    throw new InputError('config', 'a line has a "config"; write the configuration there');
  const settled = { ...options, ...settingsIn(entries.get('settings')?.value), format: known };
  if (config.kind === 'scalar' && config.type === 'text') return readConfiguration(config.text, settled);
  return readHeld(config, settled, inConfig);
}

/**
 * One line of a batch of quantities, `{"resource": "memory", "text": "20Gi"}`, in base units.
 *
 * @throws InputError
 */
export function readQuantityLine(line: string, otherwise: string): bigint {
  const { entries } = readLine(line);
  const [resource, text] = ['resource', 'text'].map((key) => entries.get(key)?.value);
  if (text === undefined) throw new InputError('text', 'a line has a "text"; write the quantity there');
  if (resource !== undefined && !(resource.kind === 'scalar' && resource.type === 'text')) {
    throw new InputError('resource', `a resource type must be a string, not ${describe(resource)}`);
  }
  if (text.kind !== 'scalar' || text.type === 'boolean') {
    throw new InputError('text', `a quantity must be a string or a number, not ${describe(text)}`);
  }
  return parseQuantity(text.type === 'null' ? null : text.text, resource?.text ?? otherwise, 'text');
}

interface ReadLine {
  entries: Mapping['entries'];
  /** Problems inside `config`, with paths relative to it: they belong to the result and do not make the line invalid. */
  inConfig: Problems;
}

function readLine(line: string, options: ConfigurationOptions = {}): ReadLine {
  // YAML accepts more than JSON; a line has to be JSON.
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new InputError('', `not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isObject(value)) throw noObject();
  // Parsed as YAML nevertheless, which keeps the digits of numbers and finds duplicate keys. A carriage return, which ends lines on
  // Windows, is whitespace in JSON but not in YAML.
  const problems = new Problems();
  const field = readYaml(line.replaceAll('\r', ' '), problems);
  const inConfig = new Problems(options);
  for (const { path, message, line: row, column } of problems.errors()) {
    if (!path.startsWith('config.')) throw new InputError(path, message, row, column);
    inConfig.error(path.slice('config.'.length), message, { line: row, column });
  }
  if (field?.kind !== 'mapping') throw noObject();
  return { entries: field.entries, inConfig };
}

function formatNamed(field: Field): ConfigurationFormat {
  const format = configurationFormats.find((known) => field.kind === 'scalar' && field.text === known);
  if (format !== undefined) return format;
  const all = configurationFormats.map((known) => JSON.stringify(known)).join(' or ');
  throw new InputError('format', `${describe(field)} is not a supported format; write ${all}`);
}

function noObject(): InputError {
  return new InputError('', 'a line is an object, in braces');
}

/** Of the settings of the policy, those that a configuration is read with; others have no effect here. */
function settingsIn(
  field: Field | undefined,
): Pick<ConfigurationOptions, 'delayInheritance' | 'guaranteedEqualsMax'> {
  if (field === undefined || isNull(field)) return {};
  if (field.kind !== 'mapping') throw new InputError('settings', 'settings are an object');
  const given = (name: string) => {
    const value = field.entries.get(name)?.value;
    return value === undefined || isNull(value) ? undefined : { value, path: `settings.${name}` };
  };
  const [inheritance, equality] = [given('delayInheritance'), given('guaranteedEqualsMax')];
  return {
    ...(inheritance && { delayInheritance: truthIn(inheritance) }),
    ...(equality && { guaranteedEqualsMax: equalityIn(equality) }),
  };
}

interface Given {
  value: Field;
  path: string;
}

function truthIn({ value, path }: Given): boolean {
  const truth = truthOf(value);
  if (truth !== undefined) return truth;
  throw new InputError(path, `write true or false, not ${describe(value)}`);
}

function equalityIn({ value, path }: Given): GuaranteedEqualsMax {
  const text = value.kind === 'scalar' && value.type === 'text' ? value.text : undefined;
  if (text === 'refuse' || text === 'allow') return text;
  throw new InputError(path, `write "refuse" or "allow", not ${describe(value)}`);
}
