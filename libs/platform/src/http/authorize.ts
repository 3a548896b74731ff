import type { CallHandler, CanActivate, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import type { Known } from '../access/access-control.js';
import { limitsOf, may, mayWithin, type PlaceOfRight, partitionsOf } from '../access/grants.js';
import type { AccessRight } from '../access/rights.js';
import type { RouteRights, TableOfRights } from '../access/table-of-rights.js';
import { ProblemException } from '../problems/problem.js';
import { concerns, knownOf, notPermitted, readable } from './caller.js';
import { JsonText } from './parse-json.js';

/** Where the things are that requests name by an id. An app that has such routes provides it. */
export abstract class PlacesKnown {
  /** Undefined: there is no such run. */
  abstract run(enforcement: string): Promise<PlaceOfRight | undefined>;
  /** With its owner. Undefined: there is no such allocation, and none is known to have been. */
  abstract allocation(
    partition: string,
    allocation: string,
  ): Promise<(PlaceOfRight & { owner?: string | undefined }) | undefined>;
}

/** The rights, any of which a request needs; undefined: none, not even a credential. The query is as the route gets it. */
export function rightsFor(
  { rights, dryRun }: RouteRights,
  query: Request['query'],
): readonly AccessRight[] | undefined {
  if (rights === 'open') return undefined;
  return dryRun !== undefined && (query.dryRun === 'true' || query.dryRun === '') ? [dryRun] : rights;
}

type Answer = Record<string, unknown>;

/**
 * Lets a request in only if its caller has the right of its route at the place that it is about (`table-of-rights.ts`). A route that the table
 * lacks lets nobody in. It runs once the body is read.
 */
export class RightsGuard implements CanActivate {
  constructor(
    private readonly table: TableOfRights,
    /** Asked for at the first request that needs it. */
    private readonly places: () => PlacesKnown | undefined,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const known = knownOf(response);
    // Where no credential is needed; and the bearers of links, whom the route itself checks.
    if (known === undefined) return true;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const entry = this.table[`${method} ${String(request.route?.path)}`];
    if (entry === undefined) throw withoutEntry();
    const wanted = rightsFor(entry, request.query);
    if (wanted === undefined || wanted.length === 0) return true;
    await this.assertAt(entry, wanted, { request, response, known });
    return true;
  }

  private async assertAt(
    { place: kind }: RouteRights,
    wanted: readonly AccessRight[],
    { request, response, known }: { request: Request; response: Response; known: Known },
  ): Promise<void> {
    const { grants, user } = known;
    if (may(grants, wanted, {})) return;
    const assert = (place: PlaceOfRight) => {
      if (!may(grants, wanted, place)) throw notPermitted(known, wanted, place);
    };
    switch (kind) {
      case 'none':
      case 'inside':
        return;
      case 'all':
        return assert({});
      case 'path':
        return assert(placeInPath(request.params));
      case 'partition':
        return assert(placeIn(request, 'default'));
      case 'partitions':
        return assert(placeIn(request, undefined));
      case 'touched': {
        const { partition } = placeIn(request, 'default');
        if (partition === undefined || !mayWithin(grants, wanted, partition))
          throw notPermitted(known, wanted, { partition });
        return;
      }
      case 'run':
        return assert((await this.places()?.run(String(request.params.enforcement))) ?? {});
      case 'allocation': {
        const { partition } = placeIn(request, 'default');
        const found =
          partition === undefined
            ? undefined
            : await this.places()?.allocation(partition, String(request.params.id));
        // Owners read why their own work went without more rights.
        if (user !== undefined && found?.owner === user && wanted.includes('read')) return;
        return assert(found === undefined ? { partition } : { partition, queue: found.queue });
      }
      case 'list':
        return narrow(request, known, wanted);
      case 'items':
        narrowPartition(request, known, wanted);
        response.locals.reads = itemsOf(response, request);
        return;
      case 'shown':
        response.locals.reads = shownOf(response, known, wanted);
        return;
    }
  }
}

/** Takes out of an answer what its caller may not read (`items`, `shown`). */
export class LimitAnswers implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    const limit = response.locals.reads as ((answer: Answer) => Answer) | undefined;
    return limit === undefined ? next.handle() : next.handle().pipe(map((answer: Answer) => limit(answer)));
  }
}

/**
 * The place that a request names. Without any partition: `usual`. A value that is no text is no place, and only the right everywhere covers it.
 * Reads and deletions name it in the query, all others in the body: routes read it there alone, and so must this.
 */
function placeIn({ method, params, query, body }: Request, usual: string | undefined): PlaceOfRight {
  const named = ['GET', 'HEAD', 'DELETE'].includes(method) ? query : body instanceof JsonText ? {} : body;
  const fields = (typeof named === 'object' && named !== null ? named : {}) as Answer;
  const isLong = body instanceof JsonText && params.partition === undefined;
  return isLong ? {} : placeOf({ partition: usual, ...fields, ...given(params) });
}

const given = ({ partition, queue, path }: Request['params']): Answer => ({
  ...(partition !== undefined && { partition }),
  ...((queue ?? path) !== undefined && { queue: queue ?? path }),
});

/** The place that the path alone names. */
export const placeInPath = (params: Request['params']): PlaceOfRight => placeOf(given(params));

function placeOf({ partition, queue }: Answer): PlaceOfRight {
  if (partition === undefined || partition === null) return {};
  if (typeof partition !== 'string' || !(queue === undefined || queue === null || typeof queue === 'string'))
    return {};
  const path = queue?.trim().toLowerCase() ?? '';
  const named = partition.trim().toLowerCase();
  return path === '' || path === 'root' ? { partition: named } : { partition: named, queue: path };
}

/** Lists that a caller may read only in part are narrowed to that part: as if the caller had named it. */
function narrow(request: Request, known: Known, wanted: readonly AccessRight[]): void {
  narrowPartition(request, known, wanted);
  const place = placeIn(request, 'default');
  if (place.partition === undefined) throw notPermitted(known, wanted, place);
  const limits = limitsOf(known.grants, wanted, place.partition);
  if (limits === undefined) return;
  if (place.queue !== undefined || limits.length === 0) {
    if (!may(known.grants, wanted, place)) throw notPermitted(known, wanted, place);
    return;
  }
  if (limits.length > 1) throw severalQueues(limits);
  setQuery(request, { partition: place.partition, queue: limits[0]! });
}

/** A caller with rights in one partition alone means that one, also where it is not `default`. */
function narrowPartition(request: Request, { grants }: Known, wanted: readonly AccessRight[]): void {
  if (request.query.partition !== undefined) return;
  const own = partitionsOf(grants, wanted);
  if (own?.length === 1) setQuery(request, { partition: own[0]! });
}

/** Express computes the query at each access. */
function setQuery(request: Request, fields: Record<string, string>): void {
  const value = { ...request.query, ...fields };
  Object.defineProperty(request, 'query', { value, configurable: true, enumerable: true, writable: true });
}

/** Keeps the items of queues that the caller may read, and holds that concern them. A caller may read about own work, too. */
function itemsOf(response: Response, { query }: Request): (answer: Answer) => Answer {
  const isConcerned = concerns(response)!;
  const own = knownOf(response)!.user;
  return (answer) => {
    if (own !== undefined && query.user === own) return answer;
    const { items } = answer as { items: { partition?: string; queue?: string | null }[] };
    const partition = typeof query.partition === 'string' ? query.partition.toLowerCase() : 'default';
    const kept = items.filter((item) =>
      isConcerned({ partition: item.partition ?? partition, queue: item.queue ?? undefined }),
    );
    return { ...answer, items: kept };
  };
}

/** Refuses a thing of another queue, once it is known of which. */
function shownOf(
  response: Response,
  known: Known,
  wanted: readonly AccessRight[],
): (answer: Answer) => Answer {
  const isReadable = readable(response)!;
  return (answer) => {
    const { queue, data } = answer as { queue?: string; data?: { partition?: string } };
    const place = placeOf({ partition: data?.partition, queue });
    if (isReadable(place)) return answer;
    throw notPermitted(known, wanted, place);
  };
}

const withoutEntry = () =>
  new ProblemException({
    code: 'not-permitted',
    title: 'Not permitted',
    status: 403,
    detail: 'The table of rights has no entry for this route, so that nobody may use it.',
    remedy: 'Report it: it is a fault of Curtail.',
  });

const severalQueues = (queues: readonly string[]) =>
  new ProblemException({
    code: 'name-a-queue',
    title: 'Name a queue',
    status: 403,
    detail: `Your grants are for several queues: ${queues.slice(0, 10).join(', ')}.`,
    remedy: 'Name one of them (queue=, or --queue).',
  });
