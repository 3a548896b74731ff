import { createHash } from 'node:crypto';
import { InputError } from '@curtail/contracts';
import { parse } from 'yaml';

/** The configuration as it is saved in the ConfigMap. */
export interface SavedConfiguration {
  /** Of the ConfigMap. */
  name: string;
  resourceVersion: string;
  text: string;
}

/** The configuration that YuniKorn goes by, as it answers to `/ws/v1/config`. */
export interface ConfigurationInForce {
  /** SHA-256 of the text that it was read from, in capitals. */
  checksum: string;
  yaml: string;
}

/** What is submitted of it. */
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
      'the answer to /ws/v1/config has no checksum: YuniKorn 1.0 or newer is wanted',
    );
  }
  return { checksum: checksum.toUpperCase(), yaml };
}

export const checksumOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').toUpperCase();

export const isInForce = ({ text }: SavedConfiguration, { checksum }: ConfigurationInForce): boolean =>
  checksumOf(text) === checksum;

/**
 * What is to be submitted: only what YuniKorn has in force, since it refills a queue that was enforced by anything else. YuniKorn may
 * have refused what the ConfigMap says, and Kubernetes does not tell.
 *
 * 1. The text of the ConfigMap, if that is in force: each save anew, under its resourceVersion.
 * 2. Else what was submitted last, if that still is in force.
 * 3. Else what YuniKorn itself says that it has.
 *
 * @throws InputError if YuniKorn's own answer cannot be read.
 */
export function toSubmit(
  saved: SavedConfiguration | undefined,
  inForce: ConfigurationInForce,
  last: ToSubmit | undefined,
): ToSubmit {
  const { checksum } = inForce;
  if (saved && isInForce(saved, inForce)) {
    return { submission: `${saved.name}@${saved.resourceVersion}`, checksum, configuration: saved.text };
  }
  if (last?.checksum === checksum) return last;
  return {
    submission: `yunikorn@${checksum.slice(0, 16).toLowerCase()}`,
    checksum,
    configuration: { partitions: partitionsOf(inForce.yaml) },
  };
}

/** Beside the partitions it answers settings of its own, which no configuration has. */
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
