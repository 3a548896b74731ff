import { type SigningKey, SigningKeyError } from './signing-key.js';

/** The header of a message that has its signature: a detached JWS in compact form (RFC 7515, appendix F). */
export const signatureHeader = 'curtail_signature';

/** What a signature is over. */
export interface SignedMessage {
  /** As the brokers name it, with the prefix of the installation. */
  topic: string;
  key: string;
  headers: Readonly<Record<'ce_id' | 'ce_source' | 'ce_type' | 'ce_time', string>>;
  value: Uint8Array | string;
}

/**
 * The bytes that a signature is over: topic, key, ce_id, ce_source, ce_type and ce_time, each followed by a line feed, and then the value as it
 * is. So no part of another message fits to it. docs/how-to/senders.md, "Signatures"
 *
 * @returns undefined if one of the lines has a line feed in it: two messages could have the same bytes.
 */
export function signedBytes({ topic, key, headers, value }: SignedMessage): Uint8Array | undefined {
  const lines = [topic, key, headers.ce_id, headers.ce_source, headers.ce_type, headers.ce_time];
  if (lines.some((line) => line.includes('\n'))) return undefined;
  return Buffer.concat([Buffer.from(lines.map((line) => `${line}\n`).join('')), Buffer.from(value)]);
}

/** The signature of a message, for its header. @throws SigningKeyError if the message cannot be signed. */
export function signMessage(key: SigningKey, message: SignedMessage): string {
  const bytes = signedBytes(message);
  if (bytes === undefined)
    throw new SigningKeyError('cannot sign a message with a line feed in its key or its headers');
  const head = base64url(JSON.stringify({ alg: 'EdDSA', kid: key.publicKey.kid }));
  return `${head}..${key.sign(`${head}.${base64url(bytes)}`).signature}`;
}

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
