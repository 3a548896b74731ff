import { access, cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { InfraError } from '../infra-error.js';
import { runQuietly } from '../programs/run-quietly.js';
import type { Programs } from '../programs/set-up.js';
import { brokerProperties } from './broker-properties.js';
import { javaWords } from './java-words.js';

/** Any 16 bytes in base64url: brokers with another one do not speak to each other. */
const clusterId = 'MkU3OEVBNTcwNTJENDM2Qg';

/** As `--add-scram` of Kafka's tool wants it. */
export interface ScramUser {
  name: string;
  password: string;
}

/**
 * Makes the data folder of a new broker, unless it is there. Formatting takes a start of Java, 1 to 2 s, so a formatted folder of
 * each node id is kept in the cache and copied; users, which are written when it is formatted, make it each time.
 */
export async function prepareData(
  programs: Programs,
  { nodeId, dataFolder, users = [] }: { nodeId: number; dataFolder: string; users?: ScramUser[] },
): Promise<void> {
  if (await exists(join(dataFolder, 'meta.properties'))) return;
  await rm(dataFolder, { recursive: true, force: true });
  if (users.length > 0) return format(programs, nodeId, dataFolder, users);
  const kept = join(programs.cache, 'formatted', `${basename(programs.kafkaJars)}-node-${nodeId}`);
  if (!(await exists(kept))) await makeKept(programs, nodeId, kept);
  await cp(kept, dataFolder, { recursive: true });
}

async function makeKept(programs: Programs, nodeId: number, kept: string): Promise<void> {
  await mkdir(join(kept, '..'), { recursive: true });
  const partial = await mkdtemp(`${kept}.partial-`);
  try {
    await format(programs, nodeId, join(partial, 'data'), []);
    // Another may have been quicker, and its folder is as good.
    await rename(join(partial, 'data'), kept).catch(async (error: unknown) => {
      if (!(await exists(kept))) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function format(
  programs: Programs,
  nodeId: number,
  dataFolder: string,
  users: ScramUser[],
): Promise<void> {
  const properties = `${dataFolder}.properties`;
  // Of all this, only the node id gets into the folder.
  const listeners = [{ name: 'PLAINTEXT', port: 1, protocol: 'PLAINTEXT' } as const];
  await writeFile(
    properties,
    brokerProperties({ nodeId, dataFolder, controllerPorts: new Map([[nodeId, 2]]), listeners }),
  );
  const scram = users.flatMap(({ name, password }) =>
    ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
      '--add-scram',
      `${mechanism}=[name=${name},password=${password}]`,
    ]),
  );
  const words = ['format', '--ignore-formatted', '-t', clusterId, '-c', properties, ...scram];
  const { code, tail } = await runQuietly(
    programs.java,
    javaWords(programs, 'kafka.tools.StorageTool', words),
  );
  await rm(properties, { force: true });
  if (code !== 0) {
    throw new InfraError(
      'The data folder of Kafka could not be made.',
      'Check that the disk has room.',
      tail,
    );
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
