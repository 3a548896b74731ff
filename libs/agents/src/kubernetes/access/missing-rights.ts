import type { KubernetesApi } from '../api.js';
import { statusOf } from '../api.js';
import { KubernetesError } from '../kubernetes-error.js';
import type { CallRule, Verb } from './calls.js';

/** The namespaces of rules with a scope. */
export interface Namespaces {
  agent: string;
  scheduler: string;
}

export interface MissingRight {
  group: string;
  resource: string;
  verb: Verb;
  /** Absent: in the whole cluster. */
  namespace: string | undefined;
  why: string;
}

/**
 * Asks the API server which of these calls the user of the kubeconfig may not make (SelfSubjectAccessReview). It changes nothing.
 *
 * @throws ApiError, or Error without an answer.
 */
export async function missingRights(
  api: KubernetesApi,
  rules: readonly CallRule[],
  namespaces: Namespaces,
): Promise<MissingRight[]> {
  const wanted = rules.flatMap(({ group, resource, verbs, scope, why }) =>
    verbs.map(
      (verb): MissingRight => ({ group, resource, verb, why, namespace: scope && namespaces[scope] }),
    ),
  );
  const allowed = await Promise.all(wanted.map((right) => isAllowed(api, right)));
  return wanted.filter((_, index) => !allowed[index]);
}

/** `create pods/eviction`, `get leases.coordination.k8s.io in curtail`. */
export function nameOf({ group, resource, verb, namespace }: MissingRight): string {
  const [name, sub] = resource.split('/');
  const full = [group === '' ? name : `${name}.${group}`, sub].filter(Boolean).join('/');
  return `${verb} ${full}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

/** The API server's name of the user of the kubeconfig. @throws ApiError */
export async function whoAmI(api: KubernetesApi): Promise<string> {
  const { code, body } = await api.call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  });
  const user = (body as { status?: { userInfo?: { username?: string } } }).status?.userInfo?.username;
  if (code === 201 && user !== undefined) return user;
  throw new KubernetesError(
    'review-refused',
    `the API server answered ${code} to the review of our identity: ${statusOf(body).message ?? 'no reason given'}`,
  );
}

async function isAllowed(
  api: KubernetesApi,
  { group, resource, verb, namespace }: MissingRight,
): Promise<boolean> {
  const [plural, subresource] = resource.split('/');
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const { code, body } = await api.call('POST', path, {
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { group, resource: plural, subresource, verb, namespace } },
    },
  });
  if (code === 201) return (body as { status?: { allowed?: boolean } }).status?.allowed === true;
  throw new KubernetesError(
    'review-refused',
    `the API server answered ${code} to the review of our permissions: ${statusOf(body).message ?? 'no reason given'}`,
  );
}
