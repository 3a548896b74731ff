import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { AccessControl, isGuarded } from '../access/access-control.js';
import { may } from '../access/grants.js';
import { sharedSecretOf } from '../access/shared-secret.js';
import { matcherOf, type TableOfRights } from '../access/table-of-rights.js';
import type { Metrics } from '../metrics/metrics.js';
import { ProblemException } from '../problems/problem.js';
import type { WhyAway } from '../problems/problem-of.js';
import { refuseNulInAddress } from '../problems/refused-input.js';
import { ProblemFilter } from '../problems/send-problem.js';
import type { GeneralSettings } from '../settings/service-settings.js';
import type { Shutdown } from '../shutdown/shutdown.js';
import { requireCredential } from './authenticate.js';
import { LimitAnswers, PlacesKnown, RightsGuard } from './authorize.js';
import { grantsOf } from './caller.js';
import { countForCaller } from './client.js';
import { letConnectionIn } from './limited-server.js';
import { assertListenAddress } from './listen-address.js';
import { isReading, refuseCrossSiteWrites, requireLoopbackHost } from './origin-check.js';
import { limitRate } from './rate-limit.js';
import { readRequestBody } from './request-body.js';
import { nameRequests } from './request-id.js';

/**
 * Configures everything that a request passes before a route receives it, in this order: access is decided before
 * anything is counted for the caller, and before a byte of a body is read. Call it once, before `init`, on an app made
 * without Nest's own body parser.
 * @throws SettingsError when the address may not be listened on.
 */
export function configureHttp(
  app: NestExpressApplication,
  settings: GeneralSettings,
  services: {
    log: Logger;
    metrics: Metrics;
    shutdown: Shutdown;
    whyAway?: WhyAway | undefined;
    rights: TableOfRights;
  },
): void {
  assertListenAddress(settings);
  const access = isGuarded(settings) ? app.get(AccessControl, { strict: false }) : undefined;
  app.set('trust proxy', settings.trustProxy ?? false);
  app.use(nameRequests());
  app.use(timeRequests(services.metrics));
  app.use(securityHeaders());
  if (access !== undefined) {
    const stop = access.follow(services.log);
    services.shutdown.register('http', 'the files of tokens and rights', async () => stop());
    app.use(
      requireCredential({
        access,
        linkToken: sharedSecretOf(settings),
        match: matcherOf(services.rights),
        opensDescription: settings.localUser !== undefined,
      }),
    );
    const places = () => partOf(app, PlacesKnown);
    app.useGlobalGuards(new RightsGuard(services.rights, places));
    app.useGlobalInterceptors(new LimitAnswers());
  }
  app.use(refuseUnknownLimits());
  app.use(limitHeaderCount(settings.headerCountLimit));
  if (access === undefined) app.use(requireLoopbackHost());
  app.use(limitRate(settings));
  app.use(countForCaller());
  app.use(refuseCrossSiteWrites(settings.publicOrigin));
  if (settings.readOnly) app.use(refuseChanges());
  app.use(refuseNulInAddress());
  app.use(letConnectionIn(access !== undefined));
  app.use(readRequestBody(settings));
  app.useGlobalFilters(new ProblemFilter(services.log, services.whyAway));
}

/** A console forwards the requests of callers with limited rights: where the limits are not known, they would count as those of an administrator. */
function refuseUnknownLimits(): RequestHandler {
  return ({ headers }, response, next) => {
    const isLimited = headers['x-curtail-limited'] !== undefined || headers['x-curtail-team'] !== undefined;
    const grants = grantsOf(response);
    if (!isLimited || (grants !== undefined && !may(grants, ['submit'], {}))) return next();
    next(
      new ProblemException({
        code: 'rights-unknown',
        title: 'The rights of the caller are not known here',
        status: 403,
        detail:
          'The console forwarded the request of a caller with limited rights, and the config ingest does not know the limits. Nothing was changed.',
        remedy: 'Start the config ingest with the tokens, teams, issuer and policy file of the console.',
      }),
    );
  };
}

/** Refuses a request with too many headers. Node alone would drop the surplus silently. */
function limitHeaderCount(most: number): RequestHandler {
  return (request, _response, next) => {
    const count = request.rawHeaders.length / 2;
    if (count <= most) return next();
    next(
      new ProblemException({
        code: 'too-many-headers',
        title: 'Too many headers',
        status: 431,
        detail: `The request has more than ${most} headers.`,
        remedy: 'Send fewer headers.',
      }),
    );
  };
}

const policy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Forbids browsers to guess content types, to frame answers, or to load anything from elsewhere. */
function securityHeaders(): RequestHandler {
  return (request, response, next) => {
    // Browsers use TLS alone for this host from now on.
    if (request.secure) response.setHeader('Strict-Transport-Security', 'max-age=31536000');
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('X-Frame-Options', 'DENY');
    response.setHeader('Referrer-Policy', 'no-referrer');
    next();
  };
}

/** These only compute. They have bodies, so their method is POST. */
const computing = /^\/v1\/(what-if|plans\/preview)\/?$/i;

/** With `dryRun` it shows what a configuration would do. */
const trying = /^\/v1\/partitions\/[^/]+\/config\/?$/i;

/** Whether a request changes nothing, whatever its body. The query is as the route gets it. */
export const changesNothing = ({
  method,
  path,
  query,
}: Pick<Request, 'method' | 'path' | 'query'>): boolean =>
  isReading(method) ||
  (method === 'POST' && computing.test(path)) ||
  (method === 'PUT' && trying.test(path) && query.dryRun === 'true');

/** Refuses every request that may change something: a read-only Curtail shows and computes, and takes no commands. */
function refuseChanges(): RequestHandler {
  return (request, _response, next) => next(changesNothing(request) ? undefined : readOnly());
}

const readOnly = () =>
  new ProblemException({
    code: 'read-only',
    title: 'This Curtail is read-only',
    status: 403,
    detail: 'CURTAIL_READ_ONLY is set: it shows everything and takes no commands.',
    remedy: 'Send the command to a console without CURTAIL_READ_ONLY.',
  });

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Measures each request under the template of its route (`/v1/queues/:queue`), never under its address. */
function timeRequests(metrics: Metrics): RequestHandler {
  return (request, response, next) => {
    const began = performance.now();
    response.once('close', () => {
      const labels = {
        method: methods.has(request.method) ? request.method : 'other',
        route: routeOf(request),
        // The caller left before the answer began.
        status: response.headersSent ? response.statusCode : 499,
      };
      metrics.requests.answered(labels, (performance.now() - began) / 1000);
    });
    next();
  };
}

function routeOf(request: Request): string {
  const path: unknown = request.route?.path;
  return typeof path === 'string' ? path : 'unmatched';
}

/** A part that only some apps have. */
function partOf<T>(app: NestExpressApplication, part: abstract new () => T): T | undefined {
  try {
    return app.get<T>(part, { strict: false });
  } catch {
    return undefined;
  }
}
