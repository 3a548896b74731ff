import { mkdir } from 'node:fs/promises';
import { FolderInUse, lockFolder } from '../../libs/platform/src/postgres/folder-lock.js';
import { environmentOf, openThree, type Three } from '../infra/command/three.js';
import { startThree, stopThree } from '../infra/command/up.js';
import { InfraError } from '../infra/infra-error.js';
import { setUp } from '../infra/programs/set-up.js';
import { banner } from './banner.js';
import { Ending } from './ending.js';
import { keepServers } from './keep-servers.js';
import { LogLines } from './log-lines.js';
import { type DistributedOptions, readOptions, usage } from './options.js';
import { placeSample } from './place-sample.js';
import { processesOf, withPorts } from './places.js';
import { Service } from './service.js';
import { environmentOfServices } from './service-environment.js';

const ourName = 'curtail';

/** Runs everything until a signal ends it. Resolves to the exit status: 0 after an orderly end. */
export async function startDistributed(words: string[]): Promise<number> {
  try {
    const options = readOptions(words);
    if (options) return await run(options);
    console.log(usage);
    return 0;
  } catch (error) {
    if (!(error instanceof InfraError) && !(error instanceof Error && error.name === 'PostgresStartError'))
      throw error;
    console.error(error.message);
    return 1;
  }
}

/** Nothing outlives this: servers and services are on leashes, so that also a kill -9 ends them. */
async function run(options: DistributedOptions): Promise<number> {
  const { data } = options;
  const processes = processesOf(options);
  const lines = new LogLines([ourName, ...processes.map(({ name }) => name)], process.stdout);
  const progress = (text: string) => {
    for (const line of text.split('\n')) lines.write(ourName, line);
  };
  const ending = new Ending();
  ending.listen();
  await mkdir(data, { recursive: true, mode: 0o711 });
  // Two on the same data would be one too many. The lock of one that was killed is taken over.
  const lock = await lockFolder(data).catch((error: Error) => {
    if (!(error instanceof FolderInUse)) throw error;
    throw new InfraError(
      `${data} is used by ${error.by}.`,
      'Stop that one first, or name another folder: --data PATH.',
    );
  });
  const services: Service[] = [];
  const keeping = new AbortController();
  let three: Three | undefined;
  try {
    await Promise.race([setUp({ progress }), ending.asked]);
    three = await openThree({
      folder: data,
      ...(options.kafkaPort !== undefined && { kafkaPort: options.kafkaPort }),
    });
    if (!ending.reason) await startServers(three);
    if (!ending.reason) await startServices(three);
    await ending.asked;
  } finally {
    await endAll();
    await lock.release();
  }
  return ending.reason && 'failure' in ending.reason ? 1 : 0;

  async function startServers(servers: Three): Promise<void> {
    progress('starting Kafka, Redis and PostgreSQL');
    await Promise.race([startThree(servers), ending.asked]);
  }

  async function startServices(servers: Three): Promise<void> {
    const places = await withPorts(processes, options.port);
    progress(`starting ${places.map(({ name }) => name).join(', ')}`);
    const environment = environmentOfServices(environmentOf(servers), places, options.cluster);
    for (const place of places) {
      services.push(new Service(place, environment, lines, (failure) => ending.ask({ failure })));
    }
    for (const service of services) service.start();
    void keepServers([servers.kafka, servers.redis, servers.postgres], progress, keeping.signal);
    await Promise.race([Promise.all(services.map((service) => service.ready())), ending.asked]);
    if (ending.reason) return;
    const console = services.find(({ place }) => place.app === 'console') as Service;
    const seeded = await placeSample(console.url, options.cluster);
    process.stdout.write(banner(services, servers, { data, seeded }));
  }

  /** The services first: what they have under way needs the servers. */
  async function endAll(): Promise<void> {
    const { reason } = ending;
    if (reason)
      progress('failure' in reason ? reason.failure : `${reason.signal}: stopping; repeat to exit at once`);
    keeping.abort();
    await Promise.all(services.map((service) => service.stop()));
    if (services.length > 0) progress('the services have ended');
    if (!three) return;
    await stopThree(three);
    progress('Kafka, Redis and PostgreSQL have ended; their data stay');
  }
}
