import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import { queuesTextOf } from '#configuration';
import { InputError } from '#contracts';
import type { ConfigMap } from '../objects.js';
import type { Mirror } from '../reflector.js';

/** Keeps only the configuration of a ConfigMap, unpacked, under the key that has it. */
export const keepConfiguration = ({ metadata, ...content }: ConfigMap): ConfigMap => {
  const { name, namespace, uid, resourceVersion } = metadata;
  const found = queuesTextOf(content);
  return {
    metadata: { name, uid, resourceVersion, ...(namespace !== undefined && { namespace }) },
    ...(found && { data: { [found.key]: found.text } }),
  };
};

/** The ConfigMap with YuniKorn's configuration. Every save counts, even of the same text. */
export class SavedConfigurationMirror implements Mirror<ConfigMap> {
  /** Undefined: there is none. */
  object: ConfigMap | undefined;

  constructor(
    private readonly name: string,
    private readonly onSave: () => void,
  ) {}

  get configuration(): SavedConfiguration | undefined {
    const [entry] = Object.entries(this.object?.data ?? {});
    if (this.object === undefined || entry === undefined) return undefined;
    const { name, resourceVersion } = this.object.metadata;
    const [key, text] = entry;
    return { name, resourceVersion, key, text };
  }

  replace(all: ConfigMap[]): void {
    this.put(all.find(({ metadata }) => metadata.name === this.name));
  }

  set(one: ConfigMap): void {
    if (one.metadata.name === this.name) this.put(one);
  }

  remove(one: ConfigMap): void {
    if (one.metadata.name === this.name) this.put(undefined);
  }

  private put(object: ConfigMap | undefined): void {
    const before = this.object?.metadata.resourceVersion;
    this.object = object;
    if (object?.metadata.resourceVersion !== before) this.onSave();
  }
}

/** The configuration saved in the ConfigMap. */
export interface SavedConfiguration {
  /** Of the ConfigMap. */
  name: string;
  resourceVersion: string;
  /** Of the entry that has it, such as `queues.yaml`. */
  key: string;
  text: string;
}

/** The configuration in force in YuniKorn, from `/ws/v1/config`. */
export interface ConfigurationInForce {
  /** SHA-256 of the text that it was read from, in capitals. */
  checksum: string;
  yaml: string;
}

/** The configuration to submit. */
export interface ToSubmit {
  submission: string;
  checksum: string;
  configuration: string | Record<string, unknown>;
}

/** @throws InputError if there is no checksum in it. */
export function readInForce(yaml: string): ConfigurationInForce {
  const [, checksum] = /^checksum:\s*["']?([0-9a-f]{64})["']?\s*$/im.exec(yaml) ?? [];
  if (checksum === undefined) {
    throw new InputError(
      'checksum',
      'the answer to /ws/v1/config has no checksum: YuniKorn 1.0 or newer is required',
    );
  }
  return { checksum: checksum.toUpperCase(), yaml };
}

export const checksumOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').toUpperCase();

export const isSavedInForce = ({ text }: SavedConfiguration, { checksum }: ConfigurationInForce): boolean =>
  checksumOf(text) === checksum;

/**
 * Chooses the configuration to submit. It must be in force in YuniKorn, since YuniKorn would refill a queue that was enforced by any
 * other. YuniKorn may have refused the text of the ConfigMap, and Kubernetes does not show this.
 *
 * 1. The text of the ConfigMap, if it is in force; each save is a new submission, identified by its resourceVersion.
 * 2. Otherwise the last submission, if it is still in force.
 * 3. Otherwise the configuration that YuniKorn itself reports.
 *
 * @throws InputError if YuniKorn's own answer cannot be read.
 */
export function toSubmit(
  saved: SavedConfiguration | undefined,
  inForce: ConfigurationInForce,
  last: ToSubmit | undefined,
): ToSubmit {
  const { checksum } = inForce;
  if (saved && isSavedInForce(saved, inForce)) {
    return { submission: `${saved.name}@${saved.resourceVersion}`, checksum, configuration: saved.text };
  }
  if (last?.checksum === checksum) return last;
  return {
    submission: `yunikorn@${checksum.slice(0, 16).toLowerCase()}`,
    checksum,
    configuration: { partitions: partitionsOf(inForce.yaml) },
  };
}

/** Drops the other settings of the answer, which a configuration does not have. */
function partitionsOf(yaml: string): unknown {
  let value: unknown;
  try {
    value = parse(yaml, { maxAliasCount: 100 });
  } catch (error) {
    throw new InputError(
      '',
      `the answer to /ws/v1/config is not valid YAML: ${(error as Error).message.slice(0, 200)}`,
    );
  }
  const { partitions } = (value ?? {}) as { partitions?: unknown };
  if (!Array.isArray(partitions)) {
    throw new InputError('partitions', 'the answer to /ws/v1/config has no list of partitions');
  }
  return partitions;
}
