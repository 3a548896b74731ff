import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../folders.js';
import { type Artifact, nameOf } from './artifacts.js';
import { findOnPath } from './find-on-path.js';
import { runQuietly } from './run-quietly.js';

const usualPom = join(root, 'test', 'infra', 'pom.xml');
const wrapper = join(root, 'test', 'infra', 'mvnw');

export interface MavenOptions {
  /** The program `java`. */
  java: string;
  cache: string;
  artifacts: Artifact[];
  into: string;
  onBytes?: (count: number) => void;
  /** Further words for Maven. */
  more?: string[];
  /** Default: that of the servers for tests. */
  pom?: string;
}

/**
 * Gets the jars by Maven, with the account's own settings (mirrors, proxies); without one on the machine, by the wrapper, which
 * fetches it. @throws Error with Maven's last lines.
 */
export async function runMaven({
  java,
  cache,
  artifacts,
  into,
  onBytes = () => {},
  more = [],
  pom = usualPom,
}: MavenOptions): Promise<void> {
  const bytesOf = new Map(artifacts.map((artifact) => [nameOf(artifact), artifact.bytes]));
  const installed = findOnPath('mvn');
  const [program, first] = installed ? [installed, []] : ['/bin/sh', [wrapper]];
  const { code, tail } = await runQuietly(
    program,
    [
      ...first,
      '-B',
      '--strict-checksums',
      '-f',
      pom,
      ...repositoryOption(cache),
      'package',
      `-Dinto=${into}`,
      ...more,
    ],
    {
      env: { JAVA_HOME: homeOf(java), ...(installed ? {} : { MAVEN_USER_HOME: join(cache, 'maven') }) },
      onLine: (line) =>
        onBytes(bytesOf.get(/Downloaded from \S+ \S+\/(\S+\.jar)/.exec(line)?.[1] ?? '') ?? 0),
    },
  );
  if (code !== 0)
    throw new Error(`${installed ?? 'the Maven wrapper'} ended with ${code}:\n${lastErrors(tail)}`);
}

/** The folder above `bin`; of the system's own java it is what that links to, which Maven's script finds by itself. */
function homeOf(java: string): string {
  return dirname(dirname(java));
}

/** Accounts without a home cannot keep Maven's usual repository. */
function repositoryOption(cache: string): string[] {
  try {
    accessSync(homedir(), constants.W_OK);
    return [];
  } catch {
    return [`-Dmaven.repo.local=${join(cache, 'repository')}`];
  }
}

/** Maven's advice on how to get more output does not state the cause. */
function lastErrors(tail: string): string {
  const lines = tail.split('\n');
  const errors = lines.filter(
    (line) => line.startsWith('[ERROR]') && !/\[Help|-e switch|-X switch|^\[ERROR\]\s*$/.test(line),
  );
  return (errors.length > 0 ? errors : lines).slice(0, 6).join('\n');
}
