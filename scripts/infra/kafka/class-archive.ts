import { createHash } from 'node:crypto';
import { access, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Programs } from '../programs/set-up.js';

/**
 * Java can keep the classes that a program has loaded in a file and map them into memory at the next start: a broker is then ready
 * in half the time. The file belongs to one Java and one set of jars, and goes by both; Java checks them again, and does without it if they
 * differ.
 */
export async function classArchiveOf({ java, kafkaJars, cache }: Programs): Promise<string> {
  const release = await readFile(join(dirname(dirname(java)), 'release'), 'utf8').catch(() => '');
  const id = createHash('sha256').update(`${java}\n${release}`).digest('hex').slice(0, 12);
  return join(cache, `${basename(kafkaJars)}-classes-${id}.jsa`);
}

/** The flags that have the broker use it, if there is one. */
export async function archiveFlags(programs: Programs): Promise<string[]> {
  const file = await classArchiveOf(programs);
  return (await isThere(file)) ? [`-XX:SharedArchiveFile=${file}`] : [];
}

/**
 * Makes the file unless that was done before. A Java that cannot do it is not asked again.
 *
 * @param runBroker starts a broker with these flags, stops it in order, and waits as long as that takes
 */
export async function makeClassArchive(
  programs: Programs,
  runBroker: (flags: string[]) => Promise<void>,
  progress: (line: string) => void,
): Promise<void> {
  const file = await classArchiveOf(programs);
  const cannot = `${file}.cannot`;
  if ((await isThere(file)) || (await isThere(cannot))) return;
  progress('running Kafka once, so that later it starts in half the time');
  const folder = await mkdtemp(join(programs.cache, '.classes-'));
  const made = join(folder, 'classes.jsa');
  try {
    await runBroker([`-XX:ArchiveClassesAtExit=${made}`]);
    await rename(made, file);
  } catch (error) {
    await writeFile(cannot, String(error));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
