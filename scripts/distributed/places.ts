import { InfraError } from '../infra/infra-error.js';
import { freePorts, isFree } from '../infra/server/ports.js';
import type { DistributedOptions } from './options.js';
import type { ServicePlace } from './service.js';

/** The processes to run: `config-ingest`, `planner-1`, `planner-2`, … */
export function processesOf(options: DistributedOptions): Omit<ServicePlace, 'port'>[] {
  const { planners, timers, executors, configIngests } = options;
  const counts = {
    'config-ingest': configIngests,
    timer: timers,
    planner: planners,
    executor: executors,
    console: 1,
  };
  return Object.entries(counts).flatMap(([app, count]) =>
    Array.from({ length: count }, (_, index) => ({ app, name: count === 1 ? app : `${app}-${index + 1}` })),
  );
}

/** The console, to which all requests go, is on the port that was asked for; the others are on free ones. */
export async function withPorts(
  processes: readonly Omit<ServicePlace, 'port'>[],
  wanted: number,
): Promise<ServicePlace[]> {
  if (wanted > 0 && !(await isFree(wanted))) {
    throw new InfraError(
      `Port ${wanted} of 127.0.0.1 is taken.`,
      'Stop what listens there, or use another one: --port 9000.',
    );
  }
  const ports = await freePorts(processes.map(({ name }) => name));
  return processes.map(({ app, name }) => ({
    app,
    name,
    port: app === 'console' && wanted > 0 ? wanted : (ports[name] as number),
  }));
}
