import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  type AgentRole,
  applyCommand,
  callsFor,
  grantManifest,
  type KubernetesApi,
  missingRights,
  type Namespaces,
  nameOfRight,
  purposesOf,
  whoAmI,
} from '#agents/kubernetes';
import { whenAborted } from '#waiting';

/** Missing permissions, and the manifest that grants them. */
export interface MissingRights {
  /** Whether the agent cannot read the cluster, or the lease, without them. */
  isBlind: boolean;
  names: string[];
  /** Every permission of the role, for the user of the kubeconfig; empty if none is missing. */
  manifest: string;
}

/** @throws Error if the API server cannot be asked. */
export async function checkRights(
  api: KubernetesApi,
  role: AgentRole,
  namespaces: Namespaces,
): Promise<MissingRights> {
  const missing = await missingRights(api, callsFor(purposesOf(role)), namespaces);
  const needed = callsFor(purposesOf({ ...role, mode: 'observe' }));
  const isNeeded = missing.some(({ group, resource, verb }) =>
    needed.some((rule) => rule.group === group && rule.resource === resource && rule.verbs.includes(verb)),
  );
  const manifest = missing.length === 0 ? '' : grantManifest(role, namespaces, await whoAmI(api));
  return { isBlind: isNeeded, names: missing.map(nameOfRight), manifest };
}

/** Logs every missing verb, and the command that grants them. */
function logMissing(log: Logger, { names, manifest }: MissingRights): void {
  const commands = [applyCommand(manifest)];
  const message = `Kubernetes does not allow ${names.join('; ')}. An administrator can grant all rights that are needed with:\n${commands[0]}`;
  log.error({ missing: names, commands }, message);
}

const againMs = 15_000;

/**
 * Waits until the permissions to read the cluster are granted, and logs each set of missing permissions once.
 *
 * @returns the permissions that are still missing; undefined if `signal` has ended the wait.
 */
export async function untilAllowed(
  check: () => Promise<MissingRights>,
  {
    log,
    signal,
    onTrouble,
  }: { log: Logger; signal: AbortSignal; onTrouble: (what: string, error: Error) => void },
): Promise<MissingRights | undefined> {
  const aborted = whenAborted(signal);
  for (let logged = ''; !signal.aborted; await delay(againMs, undefined, { signal }).catch(() => undefined)) {
    try {
      // An API server that never answers does not keep the agent from ending.
      const missing = await Promise.race([check(), aborted]);
      if (!missing) return undefined;
      const names = missing.names.join();
      if (names !== logged && names !== '') logMissing(log, missing);
      logged = names;
      if (!missing.isBlind) return missing;
    } catch (error) {
      if (!signal.aborted)
        onTrouble('Could not ask the API server for the permissions; retrying', error as Error);
    }
  }
  return undefined;
}
