import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../infra/folders.js';
import { InfraError } from '../infra/infra-error.js';

export const usage = `npm run start:distributed -- [options]

Kafka, Redis, PostgreSQL and every service of Curtail, each in a process of its own. Ctrl-C stops all of it.

  --planners <n>   planners that share the work (default: 1)
  --timers <n>     timers (default: 1)
  --executors <n>  executors (default: 1)
  --config-ingests <n>
                   processes that receive configurations; the console forwards to the first (default: 1)
  --cluster <kind> simulated (default), or inventory: known from the reports of its scheduler over Kafka
  --kafka-port <n> the port of Kafka, on 127.0.0.1 (default: a free one, kept for the next start)
  --port <n>       where Curtail answers, on 127.0.0.1 (default: 8080)
  --data <path>    where data, logs and ports are kept (default: .curtail/distributed of this checkout)

The services take their settings from the environment (node dist/apps/<service>/src/main.js --help lists them).
`;

const clusters = ['simulated', 'inventory'] as const;
export type Cluster = (typeof clusters)[number];

export interface DistributedOptions {
  planners: number;
  timers: number;
  executors: number;
  configIngests: number;
  /** Absent: the setting CURTAIL_CLUSTER decides. */
  cluster?: Cluster;
  /** Absent: a free one. */
  kafkaPort?: number;
  port: number;
  /** Absolute. */
  data: string;
}

/** The options; undefined if help is wanted. @throws InfraError for unknown words. */
export function readOptions(words: string[]): DistributedOptions | undefined {
  const values = parsed(words);
  if (values.help) return undefined;
  return {
    planners: whole('planners', values.planners, 1, 32),
    timers: whole('timers', values.timers, 1, 32),
    executors: whole('executors', values.executors, 1, 32),
    configIngests: whole('config-ingests', values['config-ingests'], 1, 32),
    ...(values.cluster !== undefined && { cluster: clusterOf(values.cluster) }),
    ...(values['kafka-port'] !== undefined && {
      kafkaPort: whole('kafka-port', values['kafka-port'], 1, 65_535),
    }),
    port: whole('port', values.port, 0, 65_535),
    data: resolve(values.data),
  };
}

function parsed(words: string[]) {
  const one = { type: 'string', default: '1' } as const;
  const options = {
    planners: one,
    timers: one,
    executors: one,
    'config-ingests': one,
    cluster: { type: 'string' },
    'kafka-port': { type: 'string' },
    port: { type: 'string', default: '8080' },
    data: { type: 'string', default: join(root, '.curtail', 'distributed') },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    return parseArgs({ args: words, options }).values;
  } catch (error) {
    throw new InfraError((error as Error).message, usage);
  }
}

function clusterOf(text: string): Cluster {
  const cluster = clusters.find((known) => known === text);
  if (cluster) return cluster;
  throw new InfraError(
    `--cluster is "${text}".`,
    `Give ${clusters.join(' or ')}; a Kubernetes cluster is governed by an agent beside it.`,
  );
}

function whole(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value >= least && value <= most) return value;
  throw new InfraError(`--${name} is "${text}".`, `Give a whole number from ${least} to ${most}.`);
}
