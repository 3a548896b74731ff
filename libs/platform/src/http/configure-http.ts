import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.js';
import { timeRequests } from '../metrics/time-requests.js';
import type { WhyAway } from '../problems/problem-of.js';
import { ProblemFilter } from '../problems/send-problem.js';
import type { GeneralSettings } from '../settings/service-settings.js';
import { requireToken } from './bearer-token.js';
import { limitHeaderCount, securityHeaders } from './headers.js';
import { letConnectionIn } from './limited-server.js';
import { assertListenAddress } from './listen-address.js';
import { refuseCrossSiteWrites, requireLoopbackHost } from './origin-check.js';
import { limitRate } from './rate-limit.js';
import { refuseChanges } from './read-only.js';
import { readRequestBody } from './request-body.js';
import { nameRequests } from './request-id.js';
import { refuseNulInAddress } from './storable-input.js';
import { assertTeamsNeedToken } from './teams.js';

/**
 * Configures everything that a request passes before a route receives it, in this order: access is decided before
 * anything is counted for the caller, and before a byte of a body is read. Call it once, before `init`, on an app made
 * without Nest's own body parser.
 * @throws SettingsError when the address may not be listened on.
 */
export function configureHttp(
  app: NestExpressApplication,
  settings: GeneralSettings,
  services: { log: Logger; metrics: Metrics; whyAway?: WhyAway | undefined },
): void {
  assertListenAddress(settings.host, settings.token);
  assertTeamsNeedToken(settings);
  app.set('trust proxy', settings.trustProxy ?? false);
  app.use(nameRequests());
  app.use(timeRequests(services.metrics));
  app.use(securityHeaders());
  if (settings.token) app.use(requireToken(settings.token, settings.teams));
  app.use(limitHeaderCount(settings.headerCountLimit));
  if (!settings.token) app.use(requireLoopbackHost());
  app.use(limitRate(settings));
  app.use(refuseCrossSiteWrites(settings.publicOrigin));
  if (settings.readOnly) app.use(refuseChanges());
  app.use(refuseNulInAddress());
  app.use(letConnectionIn());
  app.use(readRequestBody(settings));
  app.useGlobalFilters(new ProblemFilter(services.log, services.whyAway));
}
