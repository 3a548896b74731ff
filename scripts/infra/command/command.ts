import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { usualFolder } from '../folders.js';
import { InfraError } from '../infra-error.js';
import { buildControlPlane, isControlPlaneBuilt } from '../kubernetes/program.js';
import { findGo, goRemedy } from '../programs/go-program.js';
import { findHelm, getHelm } from '../programs/helm.js';
import { getPromtool } from '../programs/promtool.js';
import { writeArtifacts } from '../programs/write-artifacts.js';
import { withLock } from '../server/lock.js';
import { buildYarn, findJdk, isYarnBuilt } from '../yarn/program.js';
import { prepare, preparePython } from './prepare.js';
import { environmentText, statusOf } from './status.js';
import { openThree, type Three } from './three.js';
import { startThree, stopThree } from './up.js';

const usage = `npm run infra -- <command> [options]

Real Kafka, Redis and PostgreSQL in processes of their own, without Docker.

  setup           fetches what this machine lacks; up does it too, but for packages of Python
  up              starts what does not run, and waits until all answer
  status          what runs; exit code 1 if not all of it does
  status --env    KAFKA_BROKERS, REDIS_URL and DATABASE_URL, for a shell or a file
  down            stops all; their data stay
  down --clean    and removes their data
  control-plane   builds Kubernetes for tests with Go, once (seven minutes); exit code 3 without Go
  yarn            builds YARN for tests with Maven, once (half a minute); exit code 3 if it cannot
  helm            builds Helm for tests with Go, once (five minutes); exit code 3 without Go
  promtool        takes promtool out of Debian's package prometheus, once; exit code 3 if it cannot
  list-artifacts  writes test/infra/artifacts.json again, after a change of pom.xml

  --folder <path> where they live (default: .curtail/infra of this checkout)
  --fast          with up: Kafka tuned for measuring, not for little memory
`;

/** The machine has no way to get the program. */
const notToBeHad = 3;

const options = {
  folder: { type: 'string', default: usualFolder },
  env: { type: 'boolean', default: false },
  clean: { type: 'boolean', default: false },
  fast: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Runs one command; resolves to the exit code. */
export async function infraCommand(argv: string[]): Promise<number> {
  const progress = (line: string) => console.error(`curtail: ${line}`);
  try {
    const { values, positionals } = parse(argv);
    if (values.help) {
      console.log(usage);
      return 0;
    }
    const [command, ...rest] = positionals;
    if (!command || rest.length > 0)
      throw wrongWords(rest.length > 0 ? `"${rest[0]}" is one word too many` : 'no command');
    return await run(command, { ...values, folder: resolve(values.folder) }, progress);
  } catch (error) {
    if (!(error instanceof InfraError) && !(error instanceof Error && error.name === 'PostgresStartError'))
      throw error;
    console.error(error.message);
    return 1;
  }
}

function parse(argv: string[]) {
  try {
    return parseArgs({ args: argv, options, allowPositionals: true });
  } catch (error) {
    throw wrongWords((error as Error).message);
  }
}

function wrongWords(what: string): InfraError {
  return new InfraError(`${what}.`, usage);
}

async function run(
  command: string,
  { folder, env, clean, fast }: { folder: string; env: boolean; clean: boolean; fast: boolean },
  progress: (line: string) => void,
): Promise<number> {
  const open = () => openThree({ folder, leashed: false, tuning: fast ? 'fast' : 'small' });
  switch (command) {
    case 'setup':
      await prepare(progress);
      await preparePython(progress);
      return 0;
    case 'up':
      await prepare(progress);
      await makeFolder(folder);
      return withLock(folder, async () => up(await open(), progress));
    case 'control-plane':
      if (!isControlPlaneBuilt() && findGo() === undefined) return withoutGo('Kubernetes', progress);
      await buildControlPlane(progress);
      return 0;
    case 'yarn':
      if (!isYarnBuilt() && (await findJdk()) === undefined) {
        progress('there is no JDK to build YARN with: install one of 17 or newer');
        return notToBeHad;
      }
      return buildYarn(progress).then(
        () => 0,
        (error: unknown) => {
          if (!(error instanceof InfraError)) throw error;
          progress(error.message);
          return notToBeHad;
        },
      );
    case 'helm':
      if (findHelm() === undefined && findGo() === undefined) return withoutGo('Helm', progress);
      console.log(await getHelm(progress));
      return 0;
    case 'promtool':
      return getPromtool(progress).then(
        (program) => {
          console.log(program);
          return 0;
        },
        (error: unknown) => {
          if (!(error instanceof InfraError)) throw error;
          progress(error.message);
          return notToBeHad;
        },
      );
    case 'list-artifacts':
      progress(`test/infra/artifacts.json is rewritten: ${await writeArtifacts()} files`);
      return 0;
    case 'status': {
      if (!existsSync(folder)) {
        progress(`none was started in ${folder}: \`npm run infra -- up\``);
        return 1;
      }
      const three = await open();
      const { text, up } = await statusOf(three);
      if (!env) console.log(text);
      else if (up) console.log(environmentText(three));
      else progress('not all of them run: `npm run infra -- up`');
      return up ? 0 : 1;
    }
    case 'down':
      await makeFolder(folder);
      return withLock(folder, async () => down(await open(), { folder, clean, progress }));
    default:
      throw wrongWords(`"${command}" is not a command`);
  }
}

function withoutGo(what: string, progress: (line: string) => void): number {
  progress(`there is no Go to build ${what} with.\n${goRemedy}`);
  return notToBeHad;
}

async function up(three: Three, progress: (line: string) => void): Promise<number> {
  const begun = performance.now();
  await startThree(three);
  progress(`Kafka, Redis and PostgreSQL are ready (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  console.log((await statusOf(three)).text);
  return 0;
}

async function down(
  three: Three,
  { folder, clean, progress }: { folder: string; clean: boolean; progress: (line: string) => void },
): Promise<number> {
  await stopThree(three);
  if (clean) {
    for (const server of [three.kafka, three.redis, three.postgres]) await server.remove();
    await rm(folder, { recursive: true, force: true });
  }
  progress(clean ? 'stopped, and their data removed' : 'stopped; their data stay');
  return 0;
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o711 }).catch((error: Error) => {
    throw new InfraError(`${folder} cannot be made: ${error.message}`, 'Name another one: --folder <path>.');
  });
}
