import { setTimeout as delay } from 'node:timers/promises';
import {
  type AgentRole,
  callsFor,
  grantCommands,
  type KubernetesApi,
  missingRights,
  type Namespaces,
  nameOf,
  purposesOf,
  whoAmI,
} from '@curtail/agents/kubernetes';
import type { Logger } from 'pino';

/** What may not be done, and how that is mended. */
export interface MissingRights {
  /** Without these the cluster cannot be known, or who acts. */
  isBlind: boolean;
  names: string[];
  commands: string[];
}

/** @throws Error if the API server cannot be asked. */
export async function lookForRights(
  api: KubernetesApi,
  role: AgentRole,
  namespaces: Namespaces,
): Promise<MissingRights> {
  const missing = await missingRights(api, callsFor(purposesOf(role)), namespaces);
  const needed = callsFor(purposesOf({ ...role, mode: 'observe' }));
  const isNeeded = missing.some(({ group, resource, verb }) =>
    needed.some((rule) => rule.group === group && rule.resource === resource && rule.verbs.includes(verb)),
  );
  const user = missing.length === 0 ? '' : await whoAmI(api);
  return { isBlind: isNeeded, names: missing.map(nameOf), commands: grantCommands(missing, user) };
}

/** Names every missing verb, and the commands that grant them. */
function tellRights(log: Logger, { names, commands }: MissingRights): void {
  const said = `Kubernetes does not allow ${names.join('; ')}. Who may grant it runs:\n${commands.join('\n')}`;
  log.error({ missing: names, commands }, said);
}

const againMs = 15_000;

/**
 * Waits until all may be done that is needed to know the cluster, and says what is missing, once.
 *
 * @returns what is still missing; undefined if it was told to stop.
 */
export async function untilAllowed(
  look: () => Promise<MissingRights>,
  {
    log,
    signal,
    onTrouble,
  }: { log: Logger; signal: AbortSignal; onTrouble: (what: string, error: Error) => void },
): Promise<MissingRights | undefined> {
  for (let told = ''; !signal.aborted; await delay(againMs, undefined, { signal }).catch(() => undefined)) {
    try {
      const missing = await look();
      const names = missing.names.join();
      if (names !== told && names !== '') tellRights(log, missing);
      told = names;
      if (!missing.isBlind) return missing;
    } catch (error) {
      if (!signal.aborted) onTrouble('the API server cannot be asked what is allowed', error as Error);
    }
  }
  return undefined;
}
