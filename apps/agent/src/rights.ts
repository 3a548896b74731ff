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
export function tellRights(log: Logger, { names, commands }: MissingRights): void {
  if (names.length === 0) return;
  log.error(
    { missing: names, commands },
    `Kubernetes does not allow ${names.join('; ')}. Who may grant it runs:\n${commands.join('\n')}`,
  );
}
