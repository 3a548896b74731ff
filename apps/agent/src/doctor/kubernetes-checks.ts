import {
  type AgentRole,
  type KubernetesApi,
  KubernetesError,
  type Namespaces,
  purposesOf,
} from '#agents/kubernetes';
import { firstOf } from '#contracts';
import { machineNow } from '../kubernetes/open-kubernetes.js';
import { checkRights } from '../kubernetes/rights.js';
import { type Check, clockCheck, runCheck, skewSeconds } from './check.js';

/** Older versions were never tested. */
const leastMinor = 30;
const answersWithinMs = 5000;
const named = 5;

/**
 * Checks an API server and this user's permissions. It changes nothing.
 *
 * @param options the options that select the cluster on a command line, such as ` --context lab`.
 */
export async function kubernetesChecks(
  api: KubernetesApi,
  role: AgentRole,
  namespaces: Namespaces,
  options: string,
): Promise<Check[]> {
  const server = await runCheck('API server', () => serverChecks(api), [
    `Check that it runs and that this machine can reach it (VPN, proxy, firewall): kubectl${options} version`,
  ]);
  // Without it nothing else can be checked.
  if (server[0]?.status === 'problem') return server;
  const others = await Promise.all([
    runCheck('rights', () => rightsChecks(api, role, namespaces)),
    runCheck('disruption budgets', () => budgetsCheck(api)),
  ]);
  return [...server, ...others.flat()];
}

async function serverChecks(api: KubernetesApi): Promise<Check[]> {
  const name = 'API server';
  const from = machineNow().getTime();
  const { code, body, date } = await api
    .call('GET', '/version', { signal: AbortSignal.timeout(answersWithinMs) })
    .catch((error: Error & { code?: string }) => {
      throw new KubernetesError(
        'unreachable',
        `${api.server.href} cannot be reached: ${error.message || error.code}`,
      );
    });
  const to = machineNow().getTime();
  if (code === 401 || code === 403) {
    const remedy = [`Renew the credentials of the context ${api.context}.`];
    return [
      {
        name,
        status: 'problem',
        message: `${api.server.href} answers ${code}: it does not accept the credentials`,
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
        message: `${api.server.href} answers ${code} to /version: is this a Kubernetes API server?`,
        remedy: ['Choose another context with --context NAME: kubectl config get-contexts'],
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
            'the identity of the API server is not verified: an intermediary could read the token and forge answers',
          remedy: ['Remove insecure-skip-tls-verify from the kubeconfig, and set its certificate-authority.'],
        },
    ...(date === undefined ? [] : [clockCheck('the API server', skewSeconds(date, { from, to }))]),
  ];
}

async function rightsChecks(api: KubernetesApi, role: AgentRole, namespaces: Namespaces): Promise<Check[]> {
  const [observing, all] = await Promise.all([
    checkRights(api, { ...role, mode: 'observe' }, namespaces),
    checkRights(api, { ...role, mode: 'enforce' }, namespaces),
  ]);
  const missing = (names: readonly string[]) => `missing: ${names.join('; ')}`;
  const toEnforce = all.names.filter((name) => !observing.names.includes(name));
  const needs = purposesOf(role).includes('enforce');
  // One manifest grants all that the mode needs, so it is shown once.
  const { manifest } = needs ? all : observing;
  const remedy = [
    'As an administrator of the cluster, apply the manifest below; it can be applied again at any time.',
  ];
  const isBlind = observing.names.length > 0;
  return [
    isBlind
      ? { name: 'rights to observe', status: 'problem', message: missing(observing.names), remedy, manifest }
      : { name: 'rights to observe', status: 'ok', message: 'all granted' },
    toEnforce.length === 0
      ? { name: 'rights to enforce', status: 'ok', message: 'all granted' }
      : {
          name: 'rights to enforce',
          status: needs ? 'problem' : 'note',
          message: needs ? missing(toEnforce) : `${missing(toEnforce)}. They are not needed to observe`,
          ...(needs && { remedy, ...(!isBlind && { manifest }) }),
        },
  ];
}

interface Budget {
  metadata: { name: string; namespace: string; generation?: number };
  status?: { observedGeneration?: number; disruptionsAllowed?: number; expectedPods?: number };
}

/** Finds budgets that allow no eviction, and budgets whose status is not updated. */
async function budgetsCheck(api: KubernetesApi): Promise<Check> {
  const name = 'disruption budgets';
  const path = '/apis/policy/v1/poddisruptionbudgets';
  const { code, body } = await api.call('GET', path);
  // The agent itself does not need to read them.
  if (code === 403) return { name, status: 'note', message: 'not checked: this user may not list them' };
  const items = (body as { items?: Budget[] }).items ?? [];
  const nameOf = ({ metadata }: Budget) => `${metadata.namespace}/${metadata.name}`;
  const uncounted = items.filter(
    ({ metadata, status }) => (status?.observedGeneration ?? 0) < (metadata.generation ?? 1),
  );
  if (uncounted.length > 0) {
    return {
      name,
      status: 'problem',
      message: `${firstOf(uncounted.map(nameOf), named)}: their status is not updated, so every eviction of their pods is refused`,
      remedy: ['Check that the disruption controller of kube-controller-manager runs.'],
    };
  }
  const closed = items.filter(
    ({ status }) => status?.disruptionsAllowed === 0 && (status.expectedPods ?? 0) > 0,
  );
  if (closed.length === 0) {
    const message = items.length === 0 ? 'there are none' : `${items.length}, and each allows an eviction`;
    return { name, status: 'ok', message };
  }
  const message = `${firstOf(closed.map(nameOf), named)}: they allow no eviction now; evictions there are retried until the deadline of the run`;
  return { name, status: 'note', message };
}
