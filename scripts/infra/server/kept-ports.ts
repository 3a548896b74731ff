import { freePorts, isFree } from './ports.js';
import { readState, runningProcess } from './state.js';

/** Of the server in a folder: those it had before, unless it does not run and another program has one of them by now. */
export async function keptPorts<Name extends string>(
  folder: string,
  names: readonly Name[],
): Promise<Record<Name, number>> {
  const state = await readState(folder);
  if (!state || !names.every((name) => state.ports[name])) return freePorts(names);
  const ports = state.ports as Record<Name, number>;
  if (await runningProcess(state)) return ports;
  const free = await Promise.all(names.map((name) => isFree(ports[name])));
  return free.every(Boolean) ? ports : freePorts(names);
}
