import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openCache, root } from '../folders.js';
import { InfraError } from '../infra-error.js';
import { findJava, javaRemedy } from '../programs/java.js';
import { runMaven } from '../programs/maven.js';
import { withLock } from '../server/lock.js';

/** Sources of the parts of a YARN, and their configuration. */
export const yarnSources = join(root, 'test', 'clusters', 'resource-manager');

const jdkRemedy = [
  'It needs a JDK of 17 or newer: on Debian and Ubuntu `apt-get install -y openjdk-17-jdk-headless`; CURTAIL_JAVA names its program `java`',
  'if it is not on the PATH. Maven fetches Hadoop from Maven Central, or from the mirror of ~/.m2/settings.xml.',
].join('\n');

/** The compiled sources and Hadoop's jars, whether they are built or not: one folder for each state of the sources. */
export function yarnFolder(): string {
  const hash = createHash('sha256').update(readFileSync(join(yarnSources, 'pom.xml')));
  const code = join(yarnSources, 'src');
  const files = readdirSync(code, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.java'),
  );
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(code, file)));
  return join(openCache(), `yarn-${hash.digest('hex').slice(0, 12)}`);
}

export const isYarnBuilt = (): boolean => existsSync(yarnFolder());

/** The `java` of a JDK; undefined where there is none. */
export async function findJdk(): Promise<string | undefined> {
  const java = await findJava(openCache());
  return java !== undefined && existsSync(join(dirname(java), 'javac')) ? java : undefined;
}

/**
 * Builds the parts of YARN for tests unless that was done before: some 20 s and 90 MB.
 *
 * @throws InfraError without a JDK, or with the end of Maven's output.
 */
export async function buildYarn(progress: (line: string) => void): Promise<string> {
  const folder = yarnFolder();
  if (existsSync(folder)) return folder;
  const java = await findJdk();
  if (java === undefined) throw new InfraError('There is no JDK to build YARN for tests with.', jdkRemedy);
  const cache = openCache();
  return withLock(cache, async () => {
    if (existsSync(folder)) return folder;
    progress('fetching Hadoop (84 MB, once) and building YARN for tests');
    const into = await mkdtemp(join(cache, '.building-yarn-'));
    try {
      await runMaven({ java, cache, artifacts: [], into, pom: join(yarnSources, 'pom.xml') });
      await rename(into, folder);
    } catch (error) {
      throw new InfraError('YARN for tests cannot be built.', jdkRemedy, (error as Error).message);
    } finally {
      await rm(into, { recursive: true, force: true });
    }
    return folder;
  });
}

/** The words after `java` that run a part of YARN. @throws InfraError if YARN is not built, or there is no Java. */
export async function yarnJava(
  words: readonly string[],
  { conf, heapMegabytes, requests }: { conf: string; heapMegabytes: number; requests: string },
): Promise<{ java: string; words: string[] }> {
  const java = await findJava(openCache());
  if (java === undefined) throw new InfraError('YARN needs Java 17 or newer.', javaRemedy);
  const built = yarnFolder();
  const classPath = [conf, join(built, 'build', 'classes'), join(built, 'jars', '*')].join(':');
  return {
    java,
    words: [
      ...[
        `-Xmx${heapMegabytes}m`,
        '-XX:+UseSerialGC',
        '-XX:TieredStopAtLevel=1',
        '-Djava.net.preferIPv4Stack=true',
      ],
      // Guice and protobuf reach into java.lang on Java 17.
      ...['--add-opens=java.base/java.lang=ALL-UNNAMED', '--add-opens=java.base/java.util=ALL-UNNAMED'],
      `-Drequests.log=${requests}`,
      ...['-cp', classPath, 'io.curtail.yarn.YarnPart', ...words],
    ],
  };
}
