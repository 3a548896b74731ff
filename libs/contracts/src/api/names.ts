import { z } from 'zod';
import { actor } from '../events/shapes.js';
import { time } from './shapes.js';

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

export const loginView = z
  .object({
    issuer: z.string().nullable().describe('The OIDC issuer where people log in; null: people cannot.'),
    clientId: z.string().nullable().describe('The public client as which they do.'),
    audience: z.string().nullable().describe('That the token must have.'),
    scopes: z.string().nullable().describe('To ask for, separated by spaces.'),
    authorizationEndpoint: z.string().nullable().describe('Of the issuer; null: it has not answered.'),
    tokenEndpoint: z.string().nullable().describe('Of the issuer; null: it has not answered.'),
  })
  .meta({ id: 'Login' });

export const whoamiView = z
  .object({
    actor: actor.nullable().describe('The owner of the credential; null: none is needed.'),
    grants: z.array(
      z.object({
        rights: z.array(z.string()).describe('docs/reference/rights.md'),
        partition: z.string().nullable().describe('null: all.'),
        queue: z.string().nullable().describe('With all below it; null: all.'),
      }),
    ),
  })
  .meta({ id: 'Whoami' });

export const auditRecord = z
  .object({
    position: z.string().describe('Of the event in the log.'),
    time,
    event: z.string().describe('The name of the event, such as `KillSwitchSet`.'),
    partition: z.string(),
    key: z.string().describe('The queue that it is about, or the partition.'),
    by: z.string().nullable(),
    actor: actor.nullable().describe('null: no credential was needed, or it was sent over Kafka.'),
    data: z.record(z.string(), z.unknown()).describe('The rest of the event.'),
  })
  .meta({ id: 'AuditRecord' });
/** Which records a signed page of the audit has; its JSON text is signed with them. */
export const auditedPage = z
  .object({
    since: z.string(),
    until: z.string().nullable(),
    partition: z.string().nullable(),
    by: z.string().nullable(),
    after: z.string().describe('The position of the record before the page; 0: it is the first page.'),
    next: z.string().nullable().describe('Pass it as `after` to read on; null: it is the last page.'),
    records: z.number().int().min(0),
    at: time.describe('When the page was read.'),
    end: z.string().describe('The position at which the log ended then.'),
  })
  .meta({ id: 'AuditedPage' });

export const auditPage = z
  .object({
    lines: z.string().describe('One AuditRecord as JSON in each line, oldest first.'),
    page: auditedPage.describe('What the page is, so that nobody can leave out or move whole pages.'),
    signature: z
      .object({ alg: z.literal('EdDSA'), kid: z.string(), signature: z.string() })
      .nullable()
      .describe(
        'Over `lines` and the JSON text of `page`, by a key of GET /v1/keys; null: CURTAIL_SIGNING_KEY_FILE is not set.',
      ),
  })
  .meta({ id: 'AuditPage' });
