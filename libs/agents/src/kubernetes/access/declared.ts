import { BrokenInvariant } from '#contracts';
import { type CallRule, calls, type Verb } from './calls.js';

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
