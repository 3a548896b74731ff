import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { CurtailError, InputError } from '#contracts';
import { within } from '#waiting';
import { Kubeconfig } from './kubeconfig.js';
import { KubernetesError } from './kubernetes-error.js';
import { linesOf } from './lines.js';
import { isUntrusted, type KubernetesObject, type KubernetesStatus } from './objects.js';

/** The address of the cluster, and our credentials for it. */
export interface KubernetesAccess {
  /** A kubeconfig file; absent: KUBECONFIG, ~/.kube/config, or the service account of the pod. */
  kubeconfig?: string | undefined;
  /** Of the kubeconfig; absent: its current one. */
  context?: string | undefined;
}

export interface ServerAnswer {
  /** HTTP status code. */
  code: number;
  body: unknown;
  retryAfterMs: number | undefined;
  /** When the server sent it, by its clock, in whole seconds. */
  date?: string | undefined;
}

export interface Call {
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  /** Of the body, default JSON. */
  contentType?: string;
  signal?: AbortSignal;
  /** Checked before the call, and when it has a connection; false prevents it. A call that was sent is completed. */
  mayBeSent?: () => boolean;
}

export interface WatchEvent<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: T;
}

/**
 * Checks a call immediately before it is sent, after credentials were fetched.
 *
 * @throws Error to prevent the call.
 */
export type CallGuard = (method: string, path: string, isWatch: boolean) => void;

const answerMs = 30_000;
const largestAnswer = 256 * 1024 * 1024;

/** The API server refused a request, or its answer cannot be read. */
export class ApiError extends CurtailError {
  readonly code = 'api-server-refused';

  constructor(
    /** The HTTP status code. */
    readonly status: number,
    readonly reason: string | undefined,
    message: string,
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/**
 * HTTP client for the API server of one cluster, with the credentials of a kubeconfig. It resolves them for each call, so a token that a
 * program, an identity provider or the kubelet renews is used at once. It verifies TLS unless the kubeconfig disables this.
 */
export class KubernetesApi {
  /** Kept as long as the certificates stay the same, so that connections are reused. */
  private kept: { key: string; agent: http.Agent } | undefined;

  private constructor(
    private readonly config: Kubeconfig,
    /** The name in the kubeconfig. */
    readonly context: string,
    readonly server: URL,
    private readonly guard: CallGuard,
  ) {}

  /** @throws InputError if there is no such cluster. */
  static open({ kubeconfig, context }: KubernetesAccess, guard: CallGuard = () => {}): KubernetesApi {
    const config = new Kubeconfig();
    const place = kubeconfig ?? 'the kubeconfig';
    try {
      if (kubeconfig === undefined) config.loadFromDefault();
      else config.loadFromFile(kubeconfig);
    } catch (error) {
      throw new InputError('kubeconfig', `the kubeconfig cannot be read: ${(error as Error).message}`);
    }
    if (context !== undefined) {
      const known = config.getContexts().map(({ name }) => name);
      if (!known.includes(context)) {
        throw new InputError(
          'context',
          `${place} has no context ${JSON.stringify(context)}: it has ${known.join(', ') || 'none'}`,
        );
      }
      config.setCurrentContext(context);
    }
    const server = config.getCurrentCluster()?.server;
    if (server === undefined) {
      throw new InputError(
        'context',
        `${place} names no cluster: give --context, or set its current-context`,
      );
    }
    return new KubernetesApi(config, config.getCurrentContext(), new URL(server), guard);
  }

  /** Files that KUBECONFIG names and that do not exist. */
  get missingFiles(): readonly string[] {
    return this.config.missingFiles;
  }

  /** Whether the identity of the server is verified. */
  get isVerified(): boolean {
    return this.server.protocol === 'https:' && !this.config.getCurrentCluster()?.skipTLSVerify;
  }

  /** The namespace of the context, or of the pod that this runs in. */
  get namespace(): string | undefined {
    return this.config.getContextObject(this.context)?.namespace;
  }

  /** @throws ApiError unless the answer is a success; Error if there is none. */
  async get<T>(path: string, call: Call = {}): Promise<T> {
    const answer = await this.call('GET', path, call);
    if (answer.code >= 300) throw this.refused(path, answer);
    return answer.body as T;
  }

  /** Returns any answer. @throws Error if there is none. */
  async call(method: string, path: string, call: Call = {}): Promise<ServerAnswer> {
    const answer = await within({ ms: answerMs, signals: [call.signal] }, async (signal) =>
      readAnswer(await this.send(method, path, call, signal), `${method} ${path}`),
    );
    if (answer.code === 401) this.config.refused();
    return answer;
  }

  /**
   * Yields events from the version on, until the server ends the stream, `signal` aborts, or nothing arrives for `idleMs`. Calls `onOpen`
   * when the server has accepted.
   *
   * @throws ApiError if the server refuses; Error if the connection breaks.
   */
  async *watch<T extends KubernetesObject>(
    path: string,
    query: Call['query'],
    {
      signal,
      idleMs,
      opensWithinMs,
      onOpen,
    }: { signal: AbortSignal; idleMs: number; opensWithinMs: number; onOpen: () => void },
  ): AsyncGenerator<WatchEvent<T>> {
    const response = await this.send('GET', path, { query: { ...query, watch: 1 } }, signal, opensWithinMs);
    response.setTimeout(idleMs, () => response.destroy(silence(idleMs)));
    if (response.statusCode !== 200) throw this.refused(path, await readAnswer(response, `GET ${path}`));
    onOpen();
    for await (const line of linesOf(response as Readable, largestAnswer)) {
      if (line.length > 0) yield JSON.parse(line) as WatchEvent<T>;
    }
  }

  close(): void {
    this.kept?.agent.destroy();
  }

  private async send(
    method: string,
    path: string,
    { query, body, contentType = 'application/json', mayBeSent = () => true }: Call,
    signal: AbortSignal,
    beginsWithinMs = answerMs,
  ): Promise<http.IncomingMessage> {
    const url = new URL(this.server.pathname.replace(/\/$/, '') + path, this.server);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const options: https.RequestOptions = { method, headers: {} };
    await this.identify(options);
    const payload = body === undefined ? undefined : JSON.stringify(body);
    Object.assign(options.headers as http.OutgoingHttpHeaders, {
      accept: 'application/json',
      'user-agent': 'curtail-agent',
      ...(payload !== undefined && {
        'content-type': contentType,
        'content-length': Buffer.byteLength(payload),
      }),
    });
    options.agent = this.agentFor(options);
    const { request } = url.protocol === 'http:' ? http : https;
    this.guard(method, path, query?.watch !== undefined);
    const tooLate = () => new KubernetesError('too-late', `${method} ${path} was not sent: its time is over`);
    if (!mayBeSent()) throw tooLate();
    return new Promise((resolve, reject) => {
      const sent = request(url, { ...options, signal }, resolve);
      const timer = setTimeout(() => sent.destroy(silence(beginsWithinMs)), beginsWithinMs);
      for (const end of ['response', 'close']) sent.once(end, () => clearTimeout(timer));
      sent.on('error', (error) => reject(this.explained(error)));
      sent.on('socket', async (socket) => {
        socket.setKeepAlive(true, 10_000);
        // A server that is slow to take a connection must not get what is no longer valid by then.
        if (isOpening(socket))
          await once(socket, socket instanceof TLSSocket ? 'secureConnect' : 'connect').catch(() => {});
        if (mayBeSent()) sent.end(payload);
        else sent.destroy(tooLate());
      });
    });
  }

  private async identify(options: https.RequestOptions): Promise<void> {
    try {
      await this.config.applyToHTTPSOptions(options);
    } catch (error) {
      if (error instanceof InputError) throw error;
      const { message } = error as Error;
      throw new KubernetesError(
        'credentials-unusable',
        `could not get the credentials of context ${this.context}: ${message.trim()}`,
        {
          cause: error,
        },
      );
    }
  }

  /** Node's error describes the problem of a certificate, but not whose certificate it is, nor the remedy. */
  private explained(error: Error & { code?: string }): Error {
    const { code = '' } = error;
    if (!isUntrusted(error)) return error;
    const remedy =
      code === 'ERR_TLS_CERT_ALTNAME_INVALID'
        ? 'Use a name of the certificate as server or tls-server-name'
        : 'Add the CA that signed it to certificate-authority';
    return new KubernetesError(
      'certificate-untrusted',
      `${this.server.origin} cannot be trusted: ${error.message}. ${remedy} of the kubeconfig.`,
      {
        cause: error,
      },
    );
  }

  private refused(path: string, answer: ServerAnswer): ApiError {
    if (answer.code !== 401) return apiError(path, answer);
    const message =
      `${this.server.origin} does not accept the credentials of context ${this.context}. ` +
      'Renew them, or choose another context.';
    return new ApiError(401, 'Unauthorized', message, answer.retryAfterMs);
  }

  private agentFor(options: https.RequestOptions): http.Agent {
    const proxied = this.config.getCurrentCluster()?.proxyUrl !== undefined;
    if (proxied) return options.agent as http.Agent;
    const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } = options;
    const identity = createHash('sha256')
      .update(JSON.stringify([ca, cert, key, pfx, passphrase, rejectUnauthorized, servername].map(String)))
      .digest('hex');
    if (this.kept?.key !== identity) {
      // Requests in progress complete; the connections close with the last of them.
      const tls = { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername };
      const agent =
        this.server.protocol === 'http:'
          ? new http.Agent({ keepAlive: true })
          : new https.Agent({ keepAlive: true, ...withoutAbsent(tls) });
      this.kept = { key: identity, agent };
    }
    return this.kept.agent;
  }
}

const silence = (ms: number): Error => new KubernetesError('no-answer', `nothing arrived for ${ms / 1000} s`);

/** The Status object of an error answer. */
export function statusOf(body: unknown): KubernetesStatus {
  return typeof body === 'object' && body !== null ? (body as KubernetesStatus) : {};
}

function apiError(path: string, { code, body, retryAfterMs }: ServerAnswer): ApiError {
  const { reason, message } = statusOf(body);
  const explanation = message ?? (typeof body === 'string' ? body.slice(0, 200) : 'no reason given');
  return new ApiError(
    code,
    reason,
    `the API server answered ${code} to ${path}: ${explanation}`,
    retryAfterMs,
  );
}

/** @throws Error if it breaks off, or is too large. */
async function readAnswer(response: http.IncomingMessage, asked: string): Promise<ServerAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > largestAnswer)
      throw new KubernetesError('answer-too-long', `the answer to ${asked} is above ${largestAnswer} bytes`);
    chunks.push(chunk as Buffer);
  }
  const seconds = Number(response.headers['retry-after']);
  return {
    code: response.statusCode ?? 0,
    body: readBody(Buffer.concat(chunks).toString('utf8')),
    retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined,
    date: response.headers.date,
  };
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(0, 2000);
  }
}

function withoutAbsent<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** Whether a socket has no connection yet; Node's types lack the second property. */
const isOpening = (socket: Socket & { secureConnecting?: boolean }): boolean =>
  socket.connecting || socket.secureConnecting === true;
