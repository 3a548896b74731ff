import { type AgentRole, type KubernetesApi, type Namespaces, purposesOf } from '@curtail/agents/kubernetes';
import { machineNow } from '../machine-clock.js';
import { lookForRights } from '../rights.js';
import { type Check, clockCheck, look, skewSeconds } from './check.js';

/** Older ones were never tried. */
const leastMinor = 30;
const answersWithinMs = 5000;
const named = 5;

/**
 * What has to hold of an API server and of this user's rights. Nothing is changed.
 *
 * @param options that name the cluster on a command line: ` --context lab`.
 */
export async function kubernetesChecks(
  api: KubernetesApi,
  role: AgentRole,
  namespaces: Namespaces,
  options: string,
): Promise<Check[]> {
  const server = await look('API server', () => serverChecks(api), [
    `Look whether it runs, and whether this machine has a way to it (VPN, proxy, firewall): kubectl${options} version`,
  ]);
  // Without it nothing else can be said.
  if (server[0]?.status === 'problem') return server;
  const others = await Promise.all([
    look('rights', () => rightsChecks(api, role, namespaces)),
    look('disruption budgets', () => budgetsCheck(api)),
  ]);
  return [...server, ...others.flat()];
}

async function serverChecks(api: KubernetesApi): Promise<Check[]> {
  const name = 'API server';
  const from = machineNow().getTime();
  const { code, body, date } = await api
    .call('GET', '/version', { signal: AbortSignal.timeout(answersWithinMs) })
    .catch((error: Error & { code?: string }) => {
      throw new Error(`${api.server.href} cannot be reached: ${error.message || error.code}`);
    });
  const to = machineNow().getTime();
  if (code === 401 || code === 403) {
    const remedy = [`Renew the credentials of the context ${api.context}.`];
    return [
      {
        name,
        status: 'problem',
        message: `${api.server.href} answers ${code}: who asks is not known there`,
        remedy,
      },
    ];
  }
  const { gitVersion = '', major, minor } = body as { gitVersion?: string; major?: string; minor?: string };
  if (code !== 200 || gitVersion === '') {
    return [
      {
        name,
        status: 'problem',
        message: `${api.server.href} answers ${code} to /version: is that a Kubernetes?`,
        remedy: ['Take another context, with --context NAME: kubectl config get-contexts'],
      },
    ];
  }
  const isOld = major === '1' && Number.parseInt(minor ?? '', 10) < leastMinor;
  return [
    isOld
      ? {
          name,
          status: 'problem',
          message: `${api.server.href} is ${gitVersion}; 1.${leastMinor} or newer is needed`,
          remedy: ['Upgrade the control plane.'],
        }
      : { name, status: 'ok', message: `${api.server.href} is ${gitVersion}` },
    api.isVerified
      ? { name: 'TLS', status: 'ok', message: 'the certificate of the API server is verified' }
      : {
          name: 'TLS',
          status: 'problem',
          message:
            'it is not verified that this is the API server: anybody in between may read the token, and answer',
          remedy: [
            'Take insecure-skip-tls-verify out of the kubeconfig, and give its certificate-authority.',
          ],
        },
    ...(date === undefined ? [] : [clockCheck('the API server', skewSeconds(date, { from, to }))]),
  ];
}

async function rightsChecks(api: KubernetesApi, role: AgentRole, namespaces: Namespaces): Promise<Check[]> {
  const [observing, all] = await Promise.all([
    lookForRights(api, { ...role, mode: 'observe' }, namespaces),
    lookForRights(api, { ...role, mode: 'enforce' }, namespaces),
  ]);
  const missing = (names: readonly string[]) => `missing: ${names.join('; ')}`;
  const toEnforce = all.names.filter((name) => !observing.names.includes(name));
  const needs = purposesOf(role).includes('enforce');
  return [
    observing.names.length === 0
      ? { name: 'rights to observe', status: 'ok', message: 'are all there' }
      : {
          name: 'rights to observe',
          status: 'problem',
          message: missing(observing.names),
          remedy: observing.commands,
        },
    toEnforce.length === 0
      ? { name: 'rights to enforce', status: 'ok', message: 'are all there' }
      : {
          name: 'rights to enforce',
          status: needs ? 'problem' : 'note',
          message: needs ? missing(toEnforce) : `${missing(toEnforce)}. They are not needed to observe`,
          remedy: needs ? all.commands.filter((command) => !observing.commands.includes(command)) : [],
        },
  ];
}

interface Budget {
  metadata: { name: string; namespace: string; generation?: number };
  status?: { observedGeneration?: number; disruptionsAllowed?: number; expectedPods?: number };
}

/** Budgets that let nobody go, and budgets that nobody counts. */
async function budgetsCheck(api: KubernetesApi): Promise<Check> {
  const name = 'disruption budgets';
  const path = '/apis/policy/v1/poddisruptionbudgets';
  const { code, body } = await api.call('GET', path);
  // The agent itself does not need to read them.
  if (code === 403) return { name, status: 'note', message: 'not looked at: this user may not list them' };
  const items = (body as { items?: Budget[] }).items ?? [];
  const nameOf = ({ metadata }: Budget) => `${metadata.namespace}/${metadata.name}`;
  const uncounted = items.filter(
    ({ metadata, status }) => (status?.observedGeneration ?? 0) < (metadata.generation ?? 1),
  );
  if (uncounted.length > 0) {
    return {
      name,
      status: 'problem',
      message: `${listed(uncounted.map(nameOf))}: their status is not kept, so every eviction of their pods is refused`,
      remedy: ['Look whether the disruption controller of kube-controller-manager runs.'],
    };
  }
  const closed = items.filter(
    ({ status }) => status?.disruptionsAllowed === 0 && (status.expectedPods ?? 0) > 0,
  );
  if (closed.length === 0) {
    const message = items.length === 0 ? 'there are none' : `${items.length}, and each lets a pod go`;
    return { name, status: 'ok', message };
  }
  const message = `${listed(closed.map(nameOf))}: they let no pod go now; evictions there are tried again until the deadline of the run`;
  return { name, status: 'note', message };
}

export function listed(names: readonly string[]): string {
  const more = names.length > named ? ` and ${names.length - named} more` : '';
  return `${names.slice(0, named).join(', ')}${more}`;
}
