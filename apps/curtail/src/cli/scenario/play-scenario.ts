import { setTimeout as pause } from 'node:timers/promises';
import type { BodyOf } from '#api-client';
import type { Invocation } from '../invocation/invocation.js';
import { write } from '../output/print.js';
import { wrapped } from '../output/width.js';
import type { Client } from '../server/client.js';
import { ServerError } from '../server/server-error.js';
import { CommandError } from '../terminal/errors.js';
import { safeLine } from '../terminal/printable.js';
import type { Scenario } from './read-scenario.js';
import { applicationLines } from './scenario-lines.js';
import { ScenarioServer } from './scenario-server.js';
import { pollEveryMs, startOfScenario, WatchScenario } from './watch-scenario.js';

/**
 * Loads a scenario into a running Curtail and reports its course: allocations before, each round or run that has consequences with its
 * reasons, and allocations after. It ends when a round finds nothing to do, or no clock and no run of a quota is left, and no allocation
 * is leaving; or when all that is left to do was refused.
 *
 * @returns the policy that ran.
 * @throws CommandError if it does not end within two minutes.
 */
export async function playScenario(
  invocation: Invocation,
  client: Client,
  scenario: Scenario,
): Promise<string | undefined> {
  const { partition, title, about } = scenario;
  const server = new ScenarioServer(client, partition, (sentence) => invocation.report(sentence));
  const show = (...lines: string[]) => write(invocation, `${lines.map(safeLine).join('\n')}\n`);
  const heading = (text: string) => invocation.style('title', text);

  await loadCluster(client, scenario);
  await show(heading(title), ...aboutLines(about, invocation.width), '', heading('BEFORE'));
  await show(...applicationLines(await server.applications(), invocation));

  const start = await startOfScenario(server);
  await applyConfiguration(client, scenario);
  const isRounds = (await server.policies()).length > 0;
  const policy = await new WatchScenario(server, partition, start, isRounds, invocation, show).untilOver();

  // Pending work starts a moment after room is made.
  await pause(pollEveryMs);
  await show('', heading('AFTER'), ...applicationLines(await server.applications(), invocation));
  return policy;
}

async function loadCluster(client: Client, scenario: Scenario): Promise<void> {
  const { partition, cluster } = scenario;
  await ofFile(scenario, 'cluster', () =>
    client.post('/v1/partitions/{partition}/simulated/scenario', {
      params: { path: { partition } },
      // The server checks it, and names the field.
      body: {
        ...cluster,
        replace: true,
      } as unknown as BodyOf<'/v1/partitions/{partition}/simulated/scenario'>,
    }),
  );
}

async function applyConfiguration(client: Client, scenario: Scenario): Promise<void> {
  const { partition, configuration } = scenario;
  await ofFile(scenario, 'configuration', () =>
    client.put('/v1/partitions/{partition}/config', {
      // A scenario has its partition for itself.
      params: { path: { partition }, query: { removeQueues: true } },
      body: configuration,
    }),
  );
}

/** Keeps the line breaks if the lines fit, else rewraps every paragraph. */
function aboutLines(about: string, width: number): string[] {
  const lines = about.trimEnd().split('\n');
  if (about === '' || lines.every((line) => line.length <= width)) return about === '' ? [] : lines;
  return about
    .trim()
    .split(/\n\s*\n/)
    .flatMap((paragraph, nr) => [
      ...(nr > 0 ? [''] : []),
      ...wrapped(paragraph.replaceAll(/\s+/g, ' '), width),
    ]);
}

/** Sends a part of a scenario. @throws CommandError with file, line and field where the server refuses a field of that part. */
async function ofFile<T>(
  { located }: Pick<Scenario, 'located'>,
  part: 'cluster' | 'configuration',
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const faults = error instanceof ServerError ? (error.problem.errors ?? []) : [];
    const [first, ...others] = faults.map(({ path, message }) => `${located(part, path)}${message}`);
    if (first === undefined) throw error;
    throw new CommandError(first, { list: others, next: 'correct it, and play the scenario again' });
  }
}
