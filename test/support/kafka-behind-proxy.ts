import { type BrokerOptions, type KafkaServer, startKafka } from '../../scripts/infra/index.js';
import { TcpProxy } from './tcp-proxy.js';

/** A broker with two ways in: `brokers` of `kafka` directly, for controls and audits, and `brokers` through the proxy. */
export interface KafkaBehindProxy {
  kafka: KafkaServer;
  proxy: TcpProxy;
  /** Clients that begin here are sent nowhere else. */
  brokers: string[];
  remove(): Promise<void>;
}

export async function startKafkaBehindProxy(options: BrokerOptions = {}): Promise<KafkaBehindProxy> {
  const proxy = await TcpProxy.open();
  const kafka = await startKafka({ ...options, proxyPort: proxy.port });
  proxy.lead(kafka.ports.proxied as number);
  return {
    kafka,
    proxy,
    brokers: [`127.0.0.1:${proxy.port}`],
    async remove() {
      await proxy.cut();
      await kafka.remove();
    },
  };
}
