import { z } from 'zod';

export const namedKinds = [
  'enforcement',
  'allocation',
  'replay',
  'dead-letter',
  'queue',
  'partition',
] as const;
export const namedKind = z.enum(namedKinds);
export type NamedKind = z.infer<typeof namedKind>;

export const nameList = z.object({ items: z.array(z.string()) }).meta({ id: 'NameList' });
export type NameList = z.infer<typeof nameList>;

export const accessView = z
  .object({
    commands: z
      .boolean()
      .describe('Whether commands of the caller are taken: stop, approve, settings and so on.'),
    because: z.string().nullable().describe('Why not, in a sentence; null: they are.'),
  })
  .meta({ id: 'Access' });

/** RFC 7517 with RFC 8037. */
export const publicKeys = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string().describe('The public key, base64url.'),
        kid: z.string().describe('Its thumbprint by RFC 7638.'),
        use: z.literal('sig'),
        alg: z.literal('EdDSA'),
      }),
    ),
  })
  .meta({ id: 'PublicKeys' });
