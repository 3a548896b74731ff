import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { isBefore } from '#event-store';
import { teamOf } from '#platform';
import { LiveFeed } from './live-feed.js';
import { SharedAnswers } from './shared-answers.js';
import { toldCursor } from './told-cursor.js';

const packed = promisify(gzip);

/** Reads whose answers depend on their address and the state alone. */
const shareable = new RegExp(
  `^/v1/(?:${[
    ...['status', 'partitions', 'kill-switch', 'freezes', 'timers', 'rounds', 'pools', 'operations'],
    ...['allocations', 'applications', 'events', 'notices', 'feeds', 'replays', 'dead-letters', 'inventory'],
    ...['queues(?:/[^/]+(?:/history)?)?', 'enforcements(?:/[^/]+(?:/timeline)?)?'],
  ].join('|')})$`,
);

/** Shorter answers cost more to compress than to send. */
const leastPackedBytes = 2048;

interface Answer {
  body: Buffer;
  /** The body, compressed. */
  packed: Buffer | undefined;
  tag: string;
  /** Of the operation, for the metrics. */
  route: unknown;
  bytes: number;
}

/**
 * Pages that show the same view send the same requests at the same time, after each message of `GET /v1/live`. A request that states the id of the
 * last message it received (`Curtail-Told`) may get the answer to another such request, if that one was begun after this process had read the log up
 * to the message. The answer is computed, serialized and compressed once, and a caller that already has it gets 304 (ETag). All other requests are
 * answered individually.
 */
@Injectable()
export class ShareAnswers implements NestMiddleware {
  private readonly answers = new SharedAnswers<Answer>();

  constructor(private readonly feed: LiveFeed) {}

  use(request: Request, response: Response, next: NextFunction): void {
    const id = request.headers['curtail-told'];
    const told = typeof id === 'string' && request.method === 'GET' ? toldCursor(id) : undefined;
    // Teams read what operators read. Should that change, no answer may pass from one to the other.
    const key = JSON.stringify([teamOf(response)?.name, this.feed.timesLate, request.originalUrl]);
    // `path` is only what the route that this is mounted at leaves of it.
    const isShared = told !== undefined && shareable.test(request.originalUrl.split('?', 1)[0]!);
    const shared = isShared ? this.answers.find(key, told) : undefined;
    if (shared !== undefined) {
      void shared.then((answer) => (answer ? send(request, response, answer) : next()));
      return;
    }
    const { readUpTo } = this.feed;
    // If this process is behind the one that sent the message, it does not share the answer, which begins now and so includes everything.
    if (isShared && readUpTo !== undefined && !isBefore(readUpTo, told))
      passOn(request, response, this.answers.begin(key, readUpTo, this.feed.quietMs));
    next();
  }
}

/** Takes the answer of the operation, and sends it. Any other end of the response, such as a refusal, is not shared. */
function passOn(request: Request, response: Response, take: (answer: Answer | undefined) => void): void {
  const { json, end } = response;
  response.end = ((...given: Parameters<typeof end>) => {
    take(undefined);
    return end.apply(response, given);
  }) as typeof end;
  response.json = (value: unknown) => {
    response.json = json;
    if (response.statusCode !== 200) return response.json(value);
    answerOf(value, request.route).then(
      (answer) => {
        take(answer);
        send(request, response, answer);
      },
      () => response.json(value),
    );
    return response;
  };
}

async function answerOf(value: unknown, route: unknown): Promise<Answer> {
  const body = Buffer.from(JSON.stringify(value));
  const small =
    body.length < leastPackedBytes ? undefined : await packed(body, { level: constants.Z_BEST_SPEED });
  const tag = `W/"${createHash('sha1').update(body).digest('base64url')}"`;
  return { body, packed: small, tag, route, bytes: body.length + (small?.length ?? 0) };
}

function send(request: Request, response: Response, { body, packed: small, tag, route }: Answer): void {
  request.route ??= route;
  response.setHeader('ETag', tag);
  response.setHeader('Cache-Control', 'private, no-cache');
  response.setHeader('Vary', 'Accept-Encoding');
  if (request.headers['if-none-match'] === tag) {
    response.statusCode = 304;
    response.end();
    return;
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const isPacked = small !== undefined && request.acceptsEncodings('gzip') !== false;
  if (isPacked) response.setHeader('Content-Encoding', 'gzip');
  const sent = isPacked ? small : body;
  response.setHeader('Content-Length', sent.length);
  response.end(sent);
}
