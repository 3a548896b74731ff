import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { type Cursor, isBefore } from '#event-store';
import { callerNow, knownOf, readable } from '#platform';
import { LiveFeed } from './live-feed.js';

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
 * last message it received (`Curtail-Last-Seen`) may get the answer to another such request, if that one was begun after this process had read the log up
 * to the message. The answer is computed, serialized and compressed once, and a caller that already has it gets 304 (ETag). All other requests are
 * answered individually.
 */
@Injectable()
export class ShareAnswers implements NestMiddleware {
  private readonly answers = new SharedAnswers<Answer>();

  constructor(private readonly feed: LiveFeed) {}

  use(request: Request, response: Response, next: NextFunction): void {
    const id = request.headers['curtail-last-seen'];
    const lastSeen = typeof id === 'string' && request.method === 'GET' ? lastSeenCursor(id) : undefined;
    // No answer may pass to a caller who may read less.
    const { actor } = knownOf(response) ?? {};
    const whose = readable(response) === undefined ? null : [actor?.issuer, actor?.subject];
    // Nor does an operator wait for an answer in the share of another.
    const isOperators = callerNow() === undefined;
    const key = JSON.stringify([whose, isOperators, this.feed.timesLate, request.originalUrl]);
    // `path` is only what the route that this is mounted at leaves of it.
    const isShared = lastSeen !== undefined && shareable.test(request.originalUrl.split('?', 1)[0]!);
    const shared = isShared ? this.answers.find(key, lastSeen) : undefined;
    if (shared !== undefined) {
      void shared.then((answer) => (answer ? send(request, response, answer) : next()));
      return;
    }
    const { readUpTo } = this.feed;
    // If this process is behind the one that sent the message, it does not share the answer, which begins now and so includes everything.
    if (isShared && readUpTo !== undefined && !isBefore(readUpTo, lastSeen))
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

/**
 * How long an answer is shared after it was begun. Pages that learn of an event at the same time also ask at the same time. The tables behind the
 * answers follow the log, and pages ask once more half a second after the last event: an answer from before that must have expired by then.
 */
export const sharedForMs = { atOnce: 400, settled: 2000 };
const settledAfterMs = 500;
/** Beyond these limits, answers are not shared. */
const most = { answers: 200, bytes: 64 * 1024 * 1024 };

interface Shared<A> {
  /** The process had read the log up to here before the answer was begun, so the answer includes all events up to here. */
  readUpTo: Cursor;
  answer: Promise<A | undefined>;
  bytes: number;
}

/**
 * Answers that several pages ask for at the same time: the server computes each once, and the other callers wait for it. No caller gets an answer
 * that is older than the last event that it knows.
 */
export class SharedAnswers<A extends { bytes: number }> {
  private readonly kept = new Map<string, Shared<A>>();
  private bytes = 0;

  /**
   * @param key everything that the answer depends on.
   * @param lastSeen the position in the log up to which the caller knows it.
   * @returns an answer that is not older; it resolves to undefined if it failed. Undefined: there is none.
   */
  find(key: string, lastSeen: Cursor): Promise<A | undefined> | undefined {
    const shared = this.kept.get(key);
    return shared && !isBefore(shared.readUpTo, lastSeen) ? shared.answer : undefined;
  }

  /**
   * Call it before the answer is begun.
   *
   * @param quietMs the time since the last event was sent to pages.
   * @returns a function that takes the answer, or undefined if it failed. Only its first call counts.
   */
  begin(key: string, readUpTo: Cursor, quietMs: number): (answer: A | undefined) => void {
    let settle: (answer: A | undefined) => void = () => {};
    const answer = new Promise<A | undefined>((resolve) => {
      settle = resolve;
    });
    this.forget(key, this.kept.get(key));
    if (this.kept.size >= most.answers || this.bytes >= most.bytes) return settle;
    const shared: Shared<A> = { readUpTo, answer, bytes: 0 };
    this.kept.set(key, shared);
    const forMs = quietMs < settledAfterMs ? sharedForMs.atOnce : sharedForMs.settled;
    setTimeout(() => this.forget(key, shared), forMs).unref();
    void answer.then((given) => {
      if (this.kept.get(key) !== shared) return;
      if (given === undefined) return this.forget(key, shared);
      shared.bytes = given.bytes;
      this.bytes += given.bytes;
    });
    return settle;
  }

  private forget(key: string, shared: Shared<A> | undefined): void {
    if (shared === undefined || this.kept.get(key) !== shared) return;
    this.kept.delete(key);
    this.bytes -= shared.bytes;
  }
}

const shape = /^(\d{1,20})-(\d{1,19})$/;

/** The place in the log that the id of a message of `GET /v1/live` stands for; undefined: it is no such id. */
export function lastSeenCursor(id: string): Cursor | undefined {
  const [, transactionId, position] = shape.exec(id) ?? [];
  return transactionId === undefined ? undefined : { transactionId, position: position! };
}

export const idOfCursor = ({ transactionId, position }: Cursor): string => `${transactionId}-${position}`;
