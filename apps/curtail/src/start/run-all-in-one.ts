import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import type { INestApplicationContext } from '@nestjs/common';
import type { Logger } from 'pino';
import { configuredPartitions, holdsSample, seedSample } from '#clusters';
import { modesSet, type PartitionMode } from '#holds';
import { type Shutdown } from '#platform';
import {
  type CurtailSettings,
  type RunningApps,
  type Runtime,
  runApps,
  type ServiceApp,
  type Worker,
} from '#runtime';
import { configIngestApp } from '../../../config-ingest/src/config-ingest.app.js';
import { SubmitConfiguration } from '../../../config-ingest/src/submit/submit-configuration.js';
import { consoleApp } from '../../../console/src/console.app.js';
import { executorApp } from '../../../executor/src/executor.app.js';
import { plannerApp } from '../../../planner/src/planner.app.js';
import { timerApp } from '../../../timer/src/timer.app.js';
import { agentOf } from './agents.js';

/** Every app, as one process runs them. */
export const allApps = (settings: CurtailSettings): ServiceApp[] => [
  configIngestApp(settings),
  plannerApp(settings),
  consoleApp({ ...settings, configIngest: undefined }),
  executorApp(settings, { alone: settings.databaseUrl === undefined }),
  timerApp(settings),
];

export interface AllInOne extends RunningApps {
  /** This start loaded the sample. */
  seeded: boolean;
  /** Those that were set, by partition. */
  modes: PartitionMode[];
}

/** Runs every app in this process (`runApps`). */
export async function runAllInOne(
  settings: CurtailSettings,
  process: { log: Logger; shutdown: Shutdown },
): Promise<AllInOne> {
  let seeded = false;
  let agent: Worker | undefined;
  const running = await runApps(allApps(settings), settings, {
    ...process,
    name: 'curtail',
    beforeStart: async (app, runtime) => {
      agent = await (await agentOf(settings))?.open(settings, { app, runtime, log: process.log });
      seeded =
        settings.sample === 'yes' && settings.cluster === 'simulated' && (await seedFirstStart(app, runtime));
    },
  });
  if (agent) {
    const { stop } = agent;
    process.shutdown.register('workers', 'the agent', stop);
    await agent.start();
  }
  const modes = await modesSet(running.runtime.database);
  return { ...running, seeded, modes };
}

/**
 * Fills an empty cluster with the sample and its quotas, so that there is something to see. If a start dies between the two, the next one
 * completes it.
 */
async function seedFirstStart(app: INestApplicationContext, { database }: Runtime): Promise<boolean> {
  if ((await configuredPartitions(database)).length > 0) return false;
  if (!(await seedSample(database)) && !(await holdsSample(database))) return false;
  const quotas = new URL('../../../../../examples/queues.yaml', import.meta.url);
  await app
    .get(SubmitConfiguration, { strict: false })
    .submit('default', { text: readFileSync(quotas, 'utf8') });
  return true;
}
