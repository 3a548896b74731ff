import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../folders.js';

/** One file of a Maven repository. */
export interface Artifact {
  /** From the repository's address: `org/slf4j/slf4j-api/1.7.36/slf4j-api-1.7.36.jar`. */
  path: string;
  bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
}

export const kafkaVersion = '4.3.1';
export const redisVersion = '7.0.15';
/** The jar that is no part of Kafka. */
export const redisJar = 'embedded-redis-0.9.1.jar';

export const artifactsFile = join(root, 'test', 'infra', 'artifacts.json');

/** The artifacts that test/infra/pom.xml resolves to. */
export function readArtifacts(): Artifact[] {
  return JSON.parse(readFileSync(artifactsFile, 'utf8')) as Artifact[];
}

/** Changes when any of the files does. */
export function fingerprintOf(artifacts: Artifact[]): string {
  return createHash('sha256')
    .update(artifacts.map(({ path, sha256 }) => `${path} ${sha256}`).join('\n'))
    .digest('hex');
}

/** The file's name alone. */
export function nameOf({ path }: Artifact): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
