import { All, Body, Controller, type DynamicModule, Inject, Module, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import {
  actorNow,
  type Content,
  type GeneralSettings,
  grantsOf,
  JsonText,
  may,
  ProblemException,
  passOn,
  SERVICE_SETTINGS,
  sharedSecretOf,
  teamOf,
} from '#platform';
import { within } from '#waiting';

/** Nest token of the address of config-ingest. */
const CONFIG_INGEST_URL = Symbol('ConfigIngestUrl');

/** A configuration of 100,000 queues, with a preview of its victims, takes a while. */
const longestAnswerMs = 120_000;
const passedOn = ['content-type', 'etag', 'retry-after', 'www-authenticate'];

/**
 * A separate process receives configurations. So that users of Curtail need only one address, the console forwards requests to
 * it, and returns its answers unchanged.
 */
@ApiExcludeController()
@Controller('v1')
export class ForwardConfigurationsController {
  constructor(
    @Inject(CONFIG_INGEST_URL) private readonly configIngest: string,
    @Inject(SERVICE_SETTINGS) private readonly settings: Pick<GeneralSettings, 'token' | 'signingKey'>,
  ) {}

  @All([
    'partitions/:partition/config',
    'partitions/:partition/configurations/:version/rollback',
    'partitions/:partition/queues/:queue/config',
    'partitions/:partition/queues/:queue/preview',
    'what-if',
  ])
  async forward(@Req() request: Request, @Res() response: Response, @Body() body: unknown): Promise<void> {
    const gone = new AbortController();
    // A preview stops when its client leaves, and so does the reading of a configuration; one that is read still comes into force.
    response.once('close', () => gone.abort());
    await within({ ms: longestAnswerMs, signals: [gone.signal] }, async (signal) => {
      const address = this.addressOf(request);
      const headers = headersOf(request, response);
      const sent = body === undefined || hasNoBody(request) ? '' : textOf(body);
      const credential = this.credentialFor(request, address, { headers, body: sent });
      const answer = await fetch(address, {
        method: request.method,
        headers: { ...headers, ...(credential ? { authorization: credential } : {}) },
        ...(sent === '' ? {} : { body: sent }),
        redirect: 'error',
        signal,
      }).catch((error: unknown) => {
        throw away(error);
      });
      response.status(answer.status);
      for (const name of passedOn) {
        const value = answer.headers.get(name);
        if (value !== null) response.setHeader(name, value);
      }
      response.send(Buffer.from(await answer.arrayBuffer()));
    });
  }

  /** That of the caller, or what names one that has none in this request. */
  private credentialFor(
    { method, headers }: Request,
    { pathname, search }: URL,
    content: Content,
  ): string | undefined {
    const secret = sharedSecretOf(this.settings);
    const actor = actorNow();
    if (headers.authorization !== undefined || secret === undefined || actor === undefined)
      return headers.authorization;
    const sent = { method, originalUrl: pathname + search, ...content };
    return `Bearer ${passOn(secret, actor, 'config ingest', sent)}`;
  }

  /** Always at config-ingest: a request may name its target with a host of its own (`GET http://elsewhere/… HTTP/1.1`). */
  private addressOf({ originalUrl }: Request): URL {
    const address = new URL(this.configIngest);
    const { pathname, search } = new URL(originalUrl, address);
    address.pathname = pathname;
    address.search = search;
    return address;
  }
}

function hasNoBody({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** All but the credential. */
function headersOf(request: Request, response: Response): Record<string, string> {
  const { accept, 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  const type = request.headers['content-type'];
  const team = teamOf(response);
  const grants = grantsOf(response);
  return {
    // Counts where config-ingest trusts this proxy (CURTAIL_TRUST_PROXY).
    ...(request.ip === undefined ? {} : { 'x-forwarded-for': request.ip }),
    'x-request-id': String(response.getHeader('x-request-id')),
    ...(accept ? { accept } : {}),
    // Where config-ingest does not know the limits of the caller, it refuses: it would take the request for one of an operator.
    ...(team ? { 'x-curtail-team': encodeURIComponent(team.name) } : {}),
    ...(grants !== undefined && !may(grants, ['submit'], {}) ? { 'x-curtail-limited': 'yes' } : {}),
    ...(ifMatch ? { 'if-match': ifMatch } : {}),
    ...(ifNoneMatch ? { 'if-none-match': ifNoneMatch } : {}),
    ...(type && !hasNoBody(request) ? { 'content-type': type } : {}),
  };
}

/** JSON was parsed on the way in, unless it is long; YAML is the text as sent. */
function textOf(body: unknown): string {
  if (body instanceof JsonText) return body.text;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function away(error: unknown): ProblemException {
  const { message, cause } = error as Error & { cause?: { code?: string } };
  return new ProblemException(
    {
      code: 'config-ingest-away',
      title: 'Configurations cannot be accepted now',
      status: 503,
      detail: `config-ingest does not answer (${cause?.code ?? message}). Whether the request took effect is not known: check the state before you send it again.`,
      remedy: 'Start config-ingest, or correct CURTAIL_CONFIG_INGEST of the console.',
    },
    { 'Retry-After': '5' },
  );
}

@Module({ controllers: [ForwardConfigurationsController] })
class ForwardModule {}

/** @param url address of config-ingest. */
export function forwardModule(url: string): DynamicModule {
  return { module: ForwardModule, providers: [{ provide: CONFIG_INGEST_URL, useValue: url }] };
}
