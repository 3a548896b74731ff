import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ScramUser } from '../kafka/formatted-data.js';
import { type BrokerPorts, type KafkaServer, openKafka } from '../kafka/kafka.js';
import { ownFolder } from '../server/own-folder.js';
import { freePorts } from '../server/ports.js';
import { type Authority, type Certificate, makeAuthority } from './authority.js';
import { type SecuredWay, securedListeners, securedProperties, securedWays } from './secured-properties.js';
import { makeTokenIssuer, type TokenIssuer } from './token-issuer.js';

export interface SecuredKafkaOptions {
  /** By password: SCRAM, with SHA-256 or SHA-512, and PLAIN. `admin` is among them, with the password `admin-secret`, unless it stands here. */
  users?: ScramUser[];
  /** Further properties, as in server.properties. */
  settings?: Record<string, string | number>;
}

export interface SecuredKafka {
  /** Its `brokers` need no proof of anything and may do everything: for the test itself. */
  kafka: KafkaServer;
  /** The broker's address by way in. */
  brokers: Record<SecuredWay, string[]>;
  /** Trusts and is trusted by the broker. */
  authority: Authority;
  /** Its tokens open `jwt`. */
  tokens: TokenIssuer;
  users: ScramUser[];
  remove(): Promise<void>;
}

/** Starts a broker with every kind of listener, and rules for who may do what: none, until the test makes some. */
export async function startSecuredKafka({
  users = [],
  settings,
}: SecuredKafkaOptions = {}): Promise<SecuredKafka> {
  const folder = ownFolder();
  const ports = await freePorts(['client', 'controller', 'proxied', ...securedWays] as const);
  const authority = await makeAuthority();
  const tokens = makeTokenIssuer();
  const all = users.some(({ name }) => name === 'admin')
    ? users
    : [...users, { name: 'admin', password: 'admin-secret' }];
  const files = writeFiles(folder, authority.ca, await authority.issue('broker'), tokens);
  const kafka = await openKafka(
    {
      folder,
      ports: ports satisfies BrokerPorts,
      settings: { ...securedProperties(files, { users: all, ...tokens }), ...settings },
    },
    {
      listeners: securedListeners(ports),
      users: all,
      flags: [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${files.keySetUrl}`],
    },
  );
  await kafka.start();
  const brokers = Object.fromEntries(securedWays.map((way) => [way, [`localhost:${ports[way]}`]]));
  return {
    kafka,
    brokers: brokers as Record<SecuredWay, string[]>,
    authority,
    tokens,
    users: all,
    remove: () => kafka.remove(),
  };
}

function writeFiles(folder: string, ca: string, { key, cert }: Certificate, tokens: TokenIssuer) {
  const keys = join(folder, 'keys');
  mkdirSync(keys, { mode: 0o700 });
  const write = (name: string, text: string) => {
    writeFileSync(join(keys, name), text, { mode: 0o600 });
    return join(keys, name);
  };
  return {
    brokerPem: write('broker.pem', key + cert),
    caPem: write('ca.pem', ca),
    keySetUrl: pathToFileURL(write('jwks.json', tokens.keySet)).href,
  };
}
