import { makeClassArchive } from '../kafka/class-archive.js';
import { openKafka } from '../kafka/kafka.js';
import { type Programs, setUp } from '../programs/set-up.js';
import { withLock } from '../server/lock.js';

const writingMs = 120_000;

/** Fetches what is missing, and does once what makes later starts quick. @throws InfraError, as `setUp` */
export async function prepare(progress: (line: string) => void): Promise<Programs> {
  const programs = await setUp({ progress });
  await withLock(programs.cache, () => makeClassArchive(programs, runBroker, progress));
  return programs;
}

async function runBroker(flags: string[]): Promise<void> {
  const kafka = await openKafka({}, { flags });
  try {
    await kafka.start();
    await kafka.stop('SIGTERM', writingMs);
  } finally {
    await kafka.remove();
  }
}
