import type { ConnectionOptions } from 'node:tls';
import type { KafkaConfig, SASLOptions } from 'kafkajs';

/** TLS with the certificates of the system, or with these. PEM texts. */
export interface KafkaTls {
  /** The authorities of the brokers' certificates, in place of those of the system. */
  ca?: string;
  /** Certificate and key of this client, for brokers that require one (mTLS). */
  cert?: string;
  key?: string;
  /** The name in the brokers' certificates, if it is not the host's. */
  serverName?: string;
}

export type KafkaSasl =
  | { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string }
  | {
      mechanism: 'oauthbearer';
      /** Returns a currently valid token; called again before a token expires. */
      token: () => Promise<string>;
    };

/** Tokens are renewed this long before they expire. */
const renewBeforeEndMs = 10_000;

export function securityOf(options: {
  tls?: KafkaTls;
  sasl?: KafkaSasl;
}): Pick<KafkaConfig, 'ssl' | 'sasl' | 'reauthenticationThreshold'> {
  return {
    ...(options.tls ? { ssl: tlsOf(options.tls) } : {}),
    ...(options.sasl ? { sasl: saslOf(options.sasl), reauthenticationThreshold: renewBeforeEndMs } : {}),
  };
}

function tlsOf({ ca, cert, key, serverName }: KafkaTls): ConnectionOptions {
  return {
    ...(ca === undefined ? {} : { ca: [ca] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    minVersion: 'TLSv1.2',
  };
}

function saslOf(sasl: KafkaSasl): SASLOptions {
  if (sasl.mechanism !== 'oauthbearer') return sasl;
  return {
    mechanism: 'oauthbearer',
    oauthBearerProvider: async () => ({ value: await sasl.token() }),
  };
}
