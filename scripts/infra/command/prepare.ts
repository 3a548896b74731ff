import { join } from 'node:path';
import { root } from '../folders.js';
import { InfraError } from '../infra-error.js';
import { makeClassArchive } from '../kafka/class-archive.js';
import { openKafka } from '../kafka/kafka.js';
import { pythonEnvironment } from '../programs/python-environment.js';
import { type Programs, setUp } from '../programs/set-up.js';
import { withLock } from '../server/lock.js';

const writingMs = 120_000;

/** Fetches what is missing, and does once what makes later starts quick. @throws InfraError, as `setUp` */
export async function prepare(progress: (line: string) => void): Promise<Programs> {
  const programs = await setUp({ progress });
  await withLock(programs.cache, () => makeClassArchive(programs, runBroker, progress));
  return programs;
}

/** What programs in Python ask for that are run by tests. */
const requirements = [
  'examples/platform-service/python/requirements.txt',
  'test/generated-clients/requirements.txt',
];

/** Installs it. A machine without Python is none that lacks something: the tests of these programs are skipped there. */
export async function preparePython(progress: (line: string) => void): Promise<void> {
  for (const file of requirements) {
    await pythonEnvironment(join(root, file)).catch((error: unknown) => {
      if (!(error instanceof InfraError)) throw error;
      progress(`tests of programs in Python are skipped (${file}). ${error.reason}`);
    });
  }
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
