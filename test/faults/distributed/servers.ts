import { randomBytes } from 'node:crypto';
import {
  type KafkaCluster,
  type Server,
  startKafkaCluster,
  startPostgres,
  startRedis,
} from '../../../scripts/infra/index.js';
import { startKafkaBehindProxy } from '../../support/kafka-behind-proxy.js';
import { TcpProxy } from '../../support/tcp-proxy.js';

export const serverNames = ['kafka', 'redis', 'postgres'] as const;
export type ServerName = (typeof serverNames)[number];

/** A server of the harness, and the way that services take to it. */
export interface Victim {
  server: Server;
  /** Absent where clients know several servers, and go to them directly. */
  proxy: TcpProxy | undefined;
}

/** The servers of a system. */
export interface Ground {
  /** Ways past any proxy, for controls and audits. */
  readonly direct: { databaseUrl: string; redisUrl: string; brokers: string[] };
  readonly topicPrefix: string;
  /** The settings of services for it. */
  environment(): Record<string, string>;
  remove(): Promise<void>;
}

/** The servers under the services: of this process alone, and each behind a proxy. */
export class Servers implements Ground {
  private constructor(
    private readonly victims: Record<ServerName, Victim>,
    readonly brokers: Server[],
    readonly direct: { databaseUrl: string; redisUrl: string; brokers: string[] },
    readonly topicPrefix: string,
    private readonly ways: { databaseUrl: string; redisUrl: string; brokers: string[] },
    private readonly endings: (() => Promise<void>)[],
  ) {}

  static async start({ brokers = 1 }: { brokers?: 1 | 3 } = {}): Promise<Servers> {
    const endings: (() => Promise<void>)[] = [];
    const kept = <T extends { remove(): Promise<void> }>(started: T): T => {
      endings.push(() => started.remove());
      return started;
    };
    const started = await Promise.allSettled([
      (brokers === 3 ? startCluster() : startOne()).then(kept),
      startRedis().then(kept),
      // A server that is killed must not lose what it has acknowledged as committed.
      startPostgres({ durable: true }).then(kept),
    ]);
    const failed = started.find((one) => one.status === 'rejected');
    if (failed) {
      await Promise.all(endings.map((end) => end()));
      throw failed.reason;
    }
    const [kafka, redis, postgres] = started.map((one) => (one as PromiseFulfilledResult<unknown>).value) as [
      Awaited<ReturnType<typeof startOne>>,
      Awaited<ReturnType<typeof startRedis>>,
      Awaited<ReturnType<typeof startPostgres>>,
    ];
    const toRedis = await TcpProxy.to(redis.url);
    const toPostgres = await TcpProxy.to(postgres.url);
    endings.push(
      () => toRedis.cut(),
      () => toPostgres.cut(),
    );
    return new Servers(
      {
        kafka: { server: kafka.nodes[0] as Server, proxy: kafka.proxy },
        redis: { server: redis, proxy: toRedis },
        postgres: { server: postgres, proxy: toPostgres },
      },
      kafka.nodes,
      { databaseUrl: postgres.url, redisUrl: redis.url, brokers: kafka.direct },
      `faults-${randomBytes(3).toString('hex')}.`,
      { databaseUrl: toPostgres.url, redisUrl: toRedis.url, brokers: kafka.brokers },
      endings,
    );
  }

  of(name: ServerName): Victim {
    return this.victims[name];
  }

  environment(): Record<string, string> {
    return {
      DATABASE_URL: this.ways.databaseUrl,
      REDIS_URL: this.ways.redisUrl,
      KAFKA_BROKERS: this.ways.brokers.join(','),
      CURTAIL_KAFKA_TOPIC_PREFIX: this.topicPrefix,
      // `CURTAIL_KAFKA_CLIENT=platformatic npm run test:faults` plays them with the other client.
      CURTAIL_KAFKA_CLIENT: process.env.CURTAIL_KAFKA_CLIENT ?? 'kafkajs',
    };
  }

  async remove(): Promise<void> {
    await Promise.all(this.endings.splice(0).map((end) => end()));
  }
}

async function startOne() {
  const { kafka, proxy, brokers, remove } = await startKafkaBehindProxy();
  return {
    nodes: [kafka] as Server[],
    proxy: proxy as TcpProxy | undefined,
    brokers,
    direct: kafka.brokers,
    remove,
  };
}

async function startCluster(): ReturnType<typeof startOne> {
  const { nodes, brokers, remove }: KafkaCluster = await startKafkaCluster();
  return { nodes, proxy: undefined, brokers, direct: brokers, remove };
}
