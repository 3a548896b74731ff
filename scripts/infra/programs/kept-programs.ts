import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Artifact, fingerprintOf, kafkaVersion, nameOf, redisJar, redisVersion } from './artifacts.js';
import { readZipEntry } from './zip-entry.js';

/** The programs that setup keeps in the cache. */
export interface KeptPrograms {
  /** A folder with the jars of one Kafka, and nothing else of Java's. */
  kafkaJars: string;
  redisServer: string;
}

export function placesIn(cache: string): KeptPrograms {
  return {
    kafkaJars: join(cache, `kafka-${kafkaVersion}`),
    redisServer: join(cache, `redis-${redisVersion}`, 'redis-server'),
  };
}

const stampIn = (kafkaJars: string): string => join(kafkaJars, 'complete');

/** Whether all of it is there, from the list as it is now. Checks names and sizes, not into the files. */
export async function isComplete(cache: string, artifacts: Artifact[]): Promise<boolean> {
  const { kafkaJars, redisServer } = placesIn(cache);
  const stamp = await readFile(stampIn(kafkaJars), 'utf8').catch(() => '');
  if (stamp !== fingerprintOf(artifacts)) return false;
  const jars = artifacts.filter((artifact) => nameOf(artifact) !== redisJar);
  const sizes = jars.map(async (jar) => (await stat(join(kafkaJars, nameOf(jar)))).size === jar.bytes);
  const rest = hasRedisFor(process.platform, process.arch) ? [access(redisServer).then(() => true)] : [];
  return Promise.all([...sizes, ...rest]).then(
    (fine) => fine.every(Boolean),
    () => false,
  );
}

/**
 * Takes the files that were fetched into the cache, if every one has its checksum, whichever way it came. A crash leaves what
 * `isComplete` sees through, and the next setup does it again.
 */
export async function keep(fetched: string, cache: string, artifacts: Artifact[]): Promise<void> {
  await Promise.all(artifacts.map((artifact) => verify(join(fetched, nameOf(artifact)), artifact)));
  const { kafkaJars, redisServer } = placesIn(cache);
  const jar = join(fetched, redisJar);
  const redis = redisNameFor(process.platform, process.arch);
  if (redis) {
    await mkdir(join(redisServer, '..'), { recursive: true });
    const partial = `${redisServer}.${process.pid}.partial`;
    await writeFile(partial, readZipEntry(await readFile(jar), redis));
    await chmod(partial, 0o755);
    await rename(partial, redisServer);
  }
  await rm(jar);
  await rm(kafkaJars, { recursive: true, force: true });
  await rename(fetched, kafkaJars);
  await writeFile(stampIn(kafkaJars), fingerprintOf(artifacts));
}

async function verify(file: string, artifact: Artifact): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const sha256 = hash.digest('hex');
  if (sha256 === artifact.sha256) return;
  throw new Error(`${artifact.path}: its SHA-256 is ${sha256}, and should be ${artifact.sha256}`);
}

/** Its name in the jar; undefined where the jar has none for the platform. */
function redisNameFor(platform: string, arch: string): string | undefined {
  const archs: Record<string, string> = { x64: 'amd64', arm64: 'arm64', ia32: '386' };
  if (!hasRedisFor(platform, arch)) return undefined;
  return `redis-server-${redisVersion}-${platform}-${archs[arch]}`;
}

function hasRedisFor(platform: string, arch: string): boolean {
  const both = ['x64', 'arm64'].includes(arch);
  return (platform === 'darwin' && both) || (platform === 'linux' && (both || arch === 'ia32'));
}
