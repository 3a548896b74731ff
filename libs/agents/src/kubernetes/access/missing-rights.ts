import { BrokenInvariant } from '#contracts';
import { type KubernetesApi, statusOf } from '../api.js';
import { KubernetesError } from '../kubernetes-error.js';
import { type CallRule, calls, type Verb } from './calls.js';

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
export function nameOfRight({ group, resource, verb, namespace }: MissingRight): string {
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

/** A call to the API server as its authorizer sees it. */
export interface ApiCall {
  group: string;
  /** With its subresource. */
  resource: string;
  verb: Verb | 'delete';
  namespace: string | undefined;
}

/** Every authenticated user may call these. */
const open =
  /^\/(version|apis\/(authorization\.k8s\.io\/v1\/selfsubjectaccessreviews|authentication\.k8s\.io\/v1\/selfsubjectreviews))$/;
const place =
  /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+(?:\/namespaces\/(?<namespace>[^/]+)(?=\/))?\/(?<resource>[^/]+)(?:\/(?<name>[^/]+)(?:\/(?<sub>[^/]+))?)?$/;

/** @returns undefined for a path that does not name a resource. */
export function callOf(method: string, path: string, isWatch: boolean): ApiCall | undefined {
  const { group = '', namespace, resource, name, sub } = place.exec(path)?.groups ?? {};
  if (resource === undefined) return undefined;
  const verbs: Record<string, ApiCall['verb']> = {
    GET: isWatch ? 'watch' : name === undefined ? 'list' : 'get',
    POST: 'create',
    PUT: 'update',
    PATCH: 'patch',
    DELETE: 'delete',
  };
  const verb = verbs[method];
  return verb && { group, namespace, verb, resource: sub === undefined ? resource : `${resource}/${sub}` };
}

/** @throws Error that names a call that no rule allows: a role made from the rules would not allow it either. */
export function assertDeclared(
  method: string,
  path: string,
  isWatch: boolean,
  rules: readonly CallRule[] = calls,
): void {
  if (open.test(path)) return;
  const call = callOf(method, path, isWatch);
  const isKnown = rules.some(
    ({ group, resource, verbs }) =>
      group === call?.group && resource === call.resource && verbs.includes(call.verb as Verb),
  );
  if (!isKnown) throw new BrokenInvariant(`${method} ${path} is not among the calls that an agent may make`);
}
