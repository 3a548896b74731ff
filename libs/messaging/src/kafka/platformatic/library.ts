import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { clientRetry, type KafkaOptions, type KafkaPatience, tlsOf } from '../kafka-options.js';
import { mustRejoin } from '../kafka-trouble.js';
import { kafkajs } from '../kafkajs.js';
import type { Answered, Api, Base, Broker, BrokerConnection, Library } from './surface.js';

const name: string = '@platformatic/kafka';

/** An optional dependency: it is loaded only where it is used. */
export const loadLibrary = (): Promise<Library> => import(name);

export interface ClientOptions {
  options: KafkaOptions;
  limits: KafkaPatience;
}

export function baseOptions({ options, limits }: ClientOptions, requestTimeout = limits.requestTimeoutMs) {
  return {
    clientId: options.clientId,
    bootstrapBrokers: options.brokers,
    connectTimeout: limits.connectionTimeoutMs,
    requestTimeout,
    timeout: requestTimeout,
    metadataMaxAge: limits.metadataMaxAgeMs,
    retries: 0,
    ...(options.tls ? { tls: tlsOf(options.tls), tlsServerName: true } : {}),
    ...(options.sasl ? { sasl: saslOf(options.sasl) } : {}),
  };
}

function saslOf(sasl: NonNullable<KafkaOptions['sasl']>) {
  if (sasl.mechanism === 'oauthbearer') return { mechanism: 'OAUTHBEARER', token: sasl.token };
  const { username, password } = sasl;
  const mechanism = sasl.mechanism.toUpperCase();
  return { mechanism, username, password };
}

/** The partitions of each topic, by number: the broker that leads each. */
export interface Cluster {
  brokers: ReadonlyMap<number, Broker>;
  leaders: ReadonlyMap<string, readonly number[]>;
}

/** Connections to brokers, and requests over them. It repeats nothing. Its errors are those of kafkajs. */
export class Brokers {
  private known: Broker[];

  constructor(
    readonly library: Library,
    private readonly base: Base,
    bootstrap: readonly string[],
  ) {
    this.known = bootstrap.map((broker) => library.parseBroker(broker));
  }

  static async open(client: ClientOptions, requestTimeoutMs?: number): Promise<Brokers> {
    const library = await loadLibrary();
    const base = new library.Base(baseOptions(client, requestTimeoutMs));
    return new Brokers(library, base, client.options.brokers);
  }

  /** Asks a broker, or any one if none is named. */
  async ask<T>(broker: Broker | undefined, name: string, ...words: unknown[]): Promise<T> {
    return this.over(broker, async (connection) => {
      const getApi = (this.base as unknown as Record<symbol, GetApi>)[this.library.kGetApi]!;
      const api = await answerTo<Api>((answered) => getApi.call(this.base, name, answered));
      return answerTo<T>((answered) => api(connection, ...words, answered));
    });
  }

  async over<T>(broker: Broker | undefined, work: (connection: BrokerConnection) => Promise<T>): Promise<T> {
    try {
      const { connections } = this.base;
      return await work(await (broker ? connections.get(broker) : connections.getFirstAvailable(this.known)));
    } catch (error) {
      throw inKafkajs(error);
    }
  }

  async cluster(topics: readonly string[]): Promise<Cluster> {
    const { brokers, topics: found } = await this.ask<Metadata>(undefined, 'Metadata', topics, false, false);
    const byId = new Map(brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]));
    this.known = [...this.known.filter(({ host, port }) => !isAmong(byId, host, port)), ...byId.values()];
    const leaders = new Map(
      found.map(({ name, partitions }) => {
        const ids: number[] = [];
        for (const { partitionIndex, leaderId } of partitions) ids[partitionIndex] = leaderId;
        return [name, ids] as const;
      }),
    );
    return { brokers: byId, leaders };
  }

  /** Its requests fail at once. */
  drop(broker: Broker): void {
    this.base.connections.getEstablishedConnection(broker)?.socket.destroy();
  }

  close(): Promise<void> {
    return this.base.close();
  }
}

type GetApi = (name: string, answered: Answered<Api>) => void;

export const answerTo = <T>(ask: (answered: Answered<T>) => void): Promise<T> =>
  new Promise((resolve, reject) => ask((error, answer) => (error ? reject(error) : resolve(answer as T))));

interface Metadata {
  brokers: { nodeId: number; host: string; port: number }[];
  topics: { name: string; partitions: { partitionIndex: number; leaderId: number }[] }[];
}

const isAmong = (brokers: ReadonlyMap<number, Broker>, host: string, port: number) =>
  [...brokers.values()].some((one) => one.host === host && one.port === port);

/** The pause before an attempt, as kafkajs makes it. */
export const retryMs = (attempt: number) =>
  Math.min(clientRetry.initialRetryTime * clientRetry.multiplier ** attempt, clientRetry.maxRetryTime);

/** The brokers are electing, loading or starting; the group changes; or this client knows an old state. */
export const isRetriable = (error: unknown) =>
  mustRejoin(error) || (error as { retriable?: boolean }).retriable === true;

/** @throws the last error, when attempts are used up or `signal` aborts. */
export async function withRetries<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || attempt >= clientRetry.retries || !isRetriable(error)) throw error;
      await delay(retryMs(attempt), undefined, { signal }).catch(() => {});
    }
  }
}

const load = createRequire(import.meta.url);
const { createErrorFromCode } = load('kafkajs/src/protocol/error.js') as {
  createErrorFromCode(code: number): Error;
};

interface Found extends Error {
  code?: string;
  apiCode?: number;
  memberId?: string;
  errors?: unknown[];
}

/** The first cause of an error of the library, as an error of kafkajs: the rest of Curtail knows those. */
export function inKafkajs(error: unknown): Error {
  const cause = firstCause(error as Found);
  if (cause.apiCode !== undefined)
    return Object.assign(createErrorFromCode(cause.apiCode), { memberId: cause.memberId });
  const { message } = cause;
  if (cause.code === 'PLT_KFK_AUTHENTICATION')
    return failure(kafkajs.KafkaJSSASLAuthenticationError, message);
  if (cause.code === 'PLT_KFK_NETWORK')
    return connectionFailed(message === 'Connection closed' ? 'Closed connection' : message);
  return cause.code?.startsWith('PLT_KFK_') || cause instanceof kafkajs.KafkaJSError
    ? cause
    : connectionFailed(message);
}

/** Missing in the types of kafkajs: the constructor takes a message. */
const failure = (of: unknown, message: string): Error => new (of as new (message: string) => Error)(message);

export const connectionFailed = (message: string): Error => failure(kafkajs.KafkaJSConnectionError, message);
export const notImplemented = (message: string): Error => failure(kafkajs.KafkaJSNotImplemented, message);

/** Authentication fails with the answer of the broker as its cause, which says less. */
function firstCause(error: Found): Found {
  const inner = error.code === 'PLT_KFK_AUTHENTICATION' ? undefined : (error.errors?.at(-1) ?? error.cause);
  return inner instanceof Error ? firstCause(inner) : error;
}

/** As Map.groupBy, which Node 20 has not. */
export function grouped<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}
