import type { Listener } from '../kafka/broker-properties.js';
import type { ScramUser } from '../kafka/formatted-data.js';

/** The ways into a secured broker. All are encrypted but `jwt`, whose tokens prove who someone is. */
export type SecuredWay = 'ssl' | 'sasl' | 'jwt' | 'mtls';
export const securedWays: readonly SecuredWay[] = ['ssl', 'sasl', 'jwt', 'mtls'];

const protocols = { ssl: 'SSL', sasl: 'SASL_SSL', jwt: 'SASL_PLAINTEXT', mtls: 'SSL' } as const;

export function securedListeners(ports: Record<SecuredWay, number>): Listener[] {
  return securedWays.map((way) => ({
    name: way.toUpperCase(),
    port: ports[way],
    protocol: protocols[way],
    // A name, for a client may not ask a server for its certificate by an address.
    advertised: `localhost:${ports[way]}`,
  }));
}

export interface SecuredFiles {
  /** Key and certificate of the broker, PEM. */
  brokerPem: string;
  caPem: string;
  keySetUrl: string;
}

const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
const oauth = 'org.apache.kafka.common.security.oauthbearer';
const jwt = 'listener.name.jwt.oauthbearer.sasl';

/**
 * Who may come in how, and that no one may do anything without a rule (ACL). Administrators are `admin` and, because brokers speak
 * to themselves without a name, users without one: also clients of `ssl` without a certificate.
 */
export function securedProperties(
  files: SecuredFiles,
  { users, issuer, audience }: { users: ScramUser[]; issuer: string; audience: string },
): Record<string, string> {
  const plainUsers = users.map(({ name, password }) => `user_${name}="${password}"`).join(' ');
  return {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': files.brokerPem,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': files.caPem,
    'listener.name.mtls.ssl.client.auth': 'required',
    'ssl.principal.mapping.rules': 'RULE:^CN=([^,]+).*$/$1/,DEFAULT',
    'listener.name.sasl.sasl.enabled.mechanisms': 'SCRAM-SHA-256,SCRAM-SHA-512,PLAIN',
    'listener.name.sasl.scram-sha-256.sasl.jaas.config': scram,
    'listener.name.sasl.scram-sha-512.sasl.jaas.config': scram,
    'listener.name.sasl.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required ${plainUsers};`,
    'listener.name.jwt.sasl.enabled.mechanisms': 'OAUTHBEARER',
    [`${jwt}.jaas.config`]: `${oauth}.OAuthBearerLoginModule required;`,
    [`${jwt}.server.callback.handler.class`]: `${oauth}.OAuthBearerValidatorCallbackHandler`,
    [`${jwt}.oauthbearer.jwks.endpoint.url`]: files.keySetUrl,
    [`${jwt}.oauthbearer.expected.audience`]: audience,
    [`${jwt}.oauthbearer.expected.issuer`]: issuer,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'allow.everyone.if.no.acl.found': 'false',
    'super.users': 'User:ANONYMOUS;User:admin',
  };
}
