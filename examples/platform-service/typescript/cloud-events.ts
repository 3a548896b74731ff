import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import type { KafkaMessage, Message } from 'kafkajs';

/** A CloudEvent in binary mode: attributes in headers, data as JSON. */
export function cloudEvent(
  source: string,
  type: string,
  key: string,
  data: object,
): Message & { id: string } {
  const id = randomUUID();
  const headers = {
    ce_specversion: '1.0',
    ce_id: id,
    ce_source: source,
    ce_type: type,
    ce_time: new Date().toISOString(),
    'content-type': 'application/json',
  };
  return { id, key, value: JSON.stringify(data), headers };
}

/**
 * Signs a message, so that Curtail knows its sender: a detached JWS over its topic, its key, four of its headers and its value.
 *
 * @param topic with the prefix, if Curtail has one.
 * @param subject the sender, as the policy file of Curtail names it.
 * @param privateKey of Ed25519, in PEM: openssl genpkey -algorithm ed25519
 */
export function signed<M extends Message>(topic: string, message: M, subject: string, privateKey: string): M {
  const { key, value, headers = {} } = message;
  const lines = [topic, key, headers.ce_id, headers.ce_source, headers.ce_type, headers.ce_time];
  const base64url = (text: string) => Buffer.from(text).toString('base64url');
  const head = base64url(JSON.stringify({ alg: 'EdDSA', kid: subject }));
  const payload = base64url(lines.map((line) => `${line}\n`).join('') + value);
  const signature = sign(null, Buffer.from(`${head}.${payload}`), createPrivateKey(privateKey));
  return {
    ...message,
    headers: { ...headers, curtail_signature: `${head}..${signature.toString('base64url')}` },
  };
}

export interface Received<T> {
  type: string;
  /** The sender's id of the event. */
  id: string;
  source: string;
  /** An old event that is sent again for another service: do not act on it. */
  replayed: boolean;
  header(name: string): string | undefined;
  /** @throws SyntaxError if the value is not JSON, which may happen on the dead-letter topic. */
  data(): T;
}

export function received<T>(message: KafkaMessage): Received<T> {
  const header = (name: string) => message.headers?.[name]?.toString();
  return {
    type: header('ce_type') ?? '',
    id: header('ce_id') ?? '',
    source: header('ce_source') ?? '',
    replayed: header('ce_replayed') === 'true',
    header,
    data: () => JSON.parse(message.value?.toString() ?? ''),
  };
}
