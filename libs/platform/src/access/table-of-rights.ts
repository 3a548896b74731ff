import type { AccessRight } from './rights.js';

/**
 * What a request is about, which decides whose grants count:
 * - `none`: a right anywhere is enough;
 * - `all`: the right must hold everywhere;
 * - `path`: the partition that the path names, or the queue that it names besides;
 * - `partition`: those that the path, and the query or the body name; without a partition: `default`;
 * - `partitions`: the same, and all partitions where none is named;
 * - `run`, `allocation`: the queue of the run or the allocation that the path names;
 * - `list`: the same as `partition`; without a queue it is narrowed to the queues of the caller;
 * - `touched`: facts of a partition that everyone with the right somewhere in it may know;
 * - `items`, `shown`: what is answered; items of other queues are left out, and a thing of another queue is refused;
 * - `inside`: the route itself compares the queue, which it alone knows.
 */
export type PlaceKind =
  | 'none'
  | 'all'
  | 'path'
  | 'partition'
  | 'partitions'
  | 'run'
  | 'allocation'
  | 'list'
  | 'touched'
  | 'items'
  | 'shown'
  | 'inside';

export interface RouteRights {
  /** Any of these. Empty: every caller with a credential. `open`: everyone, without one. */
  rights: readonly AccessRight[] | 'open';
  place: PlaceKind;
  /** The right that a dry run (`dryRun` in the query) needs instead. */
  dryRun?: AccessRight;
}

const route = (
  right: AccessRight | readonly AccessRight[] | 'open',
  place: PlaceKind,
  dryRun?: AccessRight,
): RouteRights => ({
  rights: right === 'open' ? right : typeof right === 'string' ? [right] : right,
  place,
  ...(dryRun && { dryRun }),
});
const everyone = route([], 'none');

/** The rights of every route, by method and path. docs/reference/rights.md is made of it. */
export const routes: Readonly<Record<string, RouteRights>> = {
  'GET /healthz': route('open', 'none'),
  'GET /readyz': route('open', 'none'),
  'GET /v1/keys': route('open', 'none'),
  'GET /v1/login': route('open', 'none'),
  'GET /v1/explained': route('open', 'none'),
  'GET /metrics': route('metrics', 'none'),
  'GET /v1/access': everyone,
  'GET /v1/whoami': everyone,

  'GET /v1/status': route('read', 'inside'),
  'GET /v1/live': route('read', 'inside'),
  'GET /v1/names/:kind': route('read', 'inside'),
  'GET /v1/audit': route('read', 'all'),
  'GET /v1/queues': route('read', 'list'),
  'GET /v1/queues/:path': route('read', 'partition'),
  'GET /v1/queues/:path/history': route('read', 'partition'),
  'GET /v1/queues/:path/explanation': route('read', 'partition'),
  'GET /v1/partitions': route('read', 'items'),
  'GET /v1/partitions/:partition': route('read', 'touched'),
  'GET /v1/partitions/:partition/mode': route('read', 'touched'),
  'GET /v1/partitions/:partition/configurations': route('read', 'path'),
  'GET /v1/partitions/:partition/configurations/:version': route('read', 'path'),
  'GET /v1/partitions/:partition/configurations/:version/effect': route('read', 'path'),
  'GET /v1/partitions/:partition/settings': route('read', 'partition'),
  'GET /v1/partitions/:partition/config': route('read', 'path'),
  'GET /v1/partitions/:partition/queues/:queue/config': route('read', 'path'),
  'GET /v1/partitions/:partition/queues/:queue/preview': route('preview', 'path'),
  'GET /v1/feeds': route('read', 'partitions'),
  'GET /v1/report': route('read', 'list'),
  'GET /v1/timers': route('read', 'list'),
  'GET /v1/foreseen': route('read', 'list'),
  'GET /v1/rounds': route('read', 'partition'),
  'GET /v1/pools': route('read', 'list'),
  'GET /v1/operations': route('read', 'list'),
  'GET /v1/enforcements': route('read', 'list'),
  'GET /v1/enforcements/:enforcement': route('read', 'run'),
  'GET /v1/enforcements/:enforcement/timeline': route('read', 'run'),
  'GET /v1/enforcements/:enforcement/explanation': route('read', 'run'),
  'GET /v1/victims': route('read', 'items'),
  'GET /v1/plans': route('read', 'list'),
  'GET /v1/plans/:enforcement': route('read', 'run'),
  'GET /v1/events': route('read', 'list'),
  'GET /v1/events/at/:position': route('read', 'all'),
  'GET /v1/events/:id': route('read', 'shown'),
  'GET /v1/notices': route('read', 'list'),
  'GET /v1/allocations': route('read', 'list'),
  'GET /v1/applications': route('read', 'list'),
  'GET /v1/allocations/:id': route('read', 'allocation'),
  'GET /v1/allocations/:id/explanation': route('read', 'allocation'),
  'GET /v1/kill-switch': route('read', 'items'),
  'GET /v1/freezes': route('read', 'items'),
  'GET /v1/inventory': route('read', 'partitions'),
  'GET /v1/replays': route('read', 'all'),
  'GET /v1/replays/:replay': route('read', 'all'),
  'GET /v1/log/partitions': route('read', 'all'),
  'GET /v1/log/verification': route('read', 'all'),
  'GET /v1/dead-letters': route('read', 'all'),
  'GET /v1/dead-letters/:consumer/:event': route('read', 'all'),
  'GET /v1/partitions/:partition/simulated': route('read', 'touched'),
  'GET /v1/partitions/:partition/simulated/queues': route('read', 'path'),
  'GET /v1/partitions/:partition/simulated/applications': route('read', 'path'),

  'POST /v1/what-if': route('preview', 'partition'),
  'POST /v1/plans/preview': route('preview', 'none'),

  'PUT /v1/partitions/:partition/config': route('submit', 'path', 'preview'),
  'PUT /v1/partitions/:partition/queues/:queue/config': route('submit', 'path', 'preview'),
  'POST /v1/partitions/:partition/configurations/:version/rollback': route('submit', 'path', 'preview'),
  'POST /v1/answers': route('answer', 'inside'),

  'POST /v1/kill-switch': route('stop', 'partition'),
  'DELETE /v1/kill-switch': route('operate', 'partition'),
  'POST /v1/freezes': route('stop', 'partition'),
  'DELETE /v1/freezes': route('operate', 'partition'),
  'POST /v1/enforcements/:enforcement/cancel': route('stop', 'run'),
  'POST /v1/enforcements/:enforcement/reject': route(['stop', 'approve'], 'run'),
  'POST /v1/partitions/:partition/configurations/:version/reject': route(['stop', 'approve'], 'path'),
  'POST /v1/queues/:queue/enforce': route('operate', 'partition'),
  'PUT /v1/partitions/:partition/mode': route('operate', 'path'),
  'POST /v1/allocations/:id/link': route('operate', 'allocation'),
  'DELETE /v1/allocations/:id/link': route('operate', 'allocation'),

  'POST /v1/enforcements/:enforcement/approve': route('approve', 'run'),
  'POST /v1/partitions/:partition/configurations/:version/approve': route('approve', 'path'),

  'PATCH /v1/partitions/:partition/settings': route('administer', 'partition'),
  'POST /v1/inventory/accept': route('administer', 'partition'),
  'POST /v1/inventory/reset': route('administer', 'partition'),
  'POST /v1/dead-letters/retry': route('administer', 'all'),
  'POST /v1/dead-letters/discard': route('administer', 'all'),
  'POST /v1/replays': route('administer', 'all'),
  'DELETE /v1/replays/:replay': route('administer', 'all'),
  'POST /v1/log/archive': route('administer', 'all'),
  'POST /v1/republications': route('administer', 'all'),
  'POST /v1/webhook/test': route('administer', 'all'),
  'POST /v1/webhook/resend': route('administer', 'all'),
  'POST /v1/partitions/:partition/simulated/load': route('administer', 'path'),
  'POST /v1/partitions/:partition/simulated/sample': route('administer', 'path'),
  'POST /v1/partitions/:partition/simulated/scenario': route('administer', 'path'),
  'DELETE /v1/partitions/:partition/simulated': route('administer', 'path'),
};

export type TableOfRights = typeof routes;

/** Finds the entry of a request by the path it was sent to; undefined: no route has it. Paths are compared as Express does. */
export function matcherOf(table: TableOfRights): (method: string, path: string) => MatchedRoute | undefined {
  const compiled = Object.entries(table).map(([key, entry]) => {
    const [method, path] = key.split(' ') as [string, string];
    const names: string[] = [];
    const pattern = path.replace(/:(\w+)/g, (_, name: string) => {
      names.push(name);
      return '([^/]+)';
    });
    return { method, key, entry, names, pattern: new RegExp(`^${pattern}/?$`, 'i') };
  });
  return (given, path) => {
    const method = given === 'HEAD' ? 'GET' : given;
    for (const { method: own, key, entry, names, pattern } of compiled) {
      const found = own === method ? pattern.exec(path) : null;
      if (!found) continue;
      const params = Object.fromEntries(names.map((name, index) => [name, decoded(found[index + 1]!)]));
      return { key, entry, params };
    }
    return undefined;
  };
}

export interface MatchedRoute {
  key: string;
  entry: RouteRights;
  params: Record<string, string>;
}

/** As routes read it. An escape that is none makes no name. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
