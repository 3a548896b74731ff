import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { inboundTopics } from '#contracts/events';
import { publicKeyOf } from '../signing/signing-key.js';

/** What a sender over Kafka may send, by its word in a policy file: the topic of the catalog. */
export const sendable = {
  submissions: inboundTopics.submissions,
  reports: inboundTopics.inventory,
  answers: inboundTopics.evictionAnswers,
  'owner-answers': inboundTopics.ownerAnswers,
} as const;
type Sendable = keyof typeof sendable;

/** A sender of messages over Kafka, and what it is bound to. */
export interface BoundSender {
  subject: string;
  /** Topics of the catalog. */
  sends: ReadonlySet<string>;
  /** In lower case; undefined: all. */
  partitions: ReadonlySet<string> | undefined;
  /** Of submissions: each is for one queue below this one. */
  queue: string | undefined;
  /** What the names of topics of its own end in; undefined: it has none. */
  topic: string | undefined;
  /** Public keys; none: whatever is on its own topics is its own. */
  keys: readonly KeyObject[];
}

const publicKey = z.string().transform((pem, issues) => {
  const refuse = (message: string) => {
    issues.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  const remedy = 'it must be a public key in PEM: openssl pkey -in sender.pem -pubout';
  if (pem.includes('PRIVATE'))
    return refuse(`it is a private key, which only its sender may have; ${remedy}`);
  try {
    const key = createPublicKey(pem);
    const { asymmetricKeyType: type = '' } = key;
    return ['ed25519', 'ec', 'rsa'].includes(type)
      ? key
      : refuse(`it is a key of ${type}, and must be one of ed25519, ec or rsa`);
  } catch {
    return refuse(remedy);
  }
});

/** The senders of a policy file. docs/how-to/senders.md */
export const senderFields = (
  partition: z.ZodType<string>,
  queue: z.ZodType<string>,
): z.ZodType<BoundSender[]> =>
  z
    .array(
      z
        .strictObject({
          subject: z.string().trim().min(1).max(200),
          sends: z
            .array(z.enum(Object.keys(sendable) as [Sendable, ...Sendable[]]))
            .min(1)
            .max(4),
          partitions: z.array(partition).min(1).max(1000).optional(),
          queue: queue.optional(),
          topic: z
            .string()
            .regex(/^[\w-]{1,64}$/, 'it must be up to 64 letters, digits, _ or -')
            .optional(),
          keys: z.array(publicKey).min(1).max(10).optional(),
        })
        .superRefine(({ sends, queue, topic, keys }, issues) => {
          const refuse = (field: string, message: string) =>
            issues.addIssue({ code: 'custom', path: [field], message });
          if (topic === undefined && keys === undefined)
            refuse('keys', 'a sender must have keys, or a topic of its own');
          if (queue !== undefined && sends.some((one) => one !== 'submissions'))
            refuse('queue', 'it limits submissions: leave it out for a sender of anything else');
        })
        .transform(
          ({ subject, sends, partitions, queue, topic, keys = [] }): BoundSender => ({
            subject,
            sends: new Set(sends.map((one) => sendable[one])),
            partitions: partitions && new Set(partitions),
            queue: queue === 'root' ? undefined : queue,
            topic,
            keys,
          }),
        ),
    )
    .max(1000)
    .superRefine((senders, issues) => {
      const seen = new Map<string, string>();
      const once = (path: (string | number)[], what: string, subject: string) => {
        const other = seen.get(what);
        if (other !== undefined)
          issues.addIssue({ code: 'custom', path, message: `it is that of ${other}, too` });
        seen.set(what, subject);
      };
      for (const [index, { subject, topic, keys }] of senders.entries()) {
        once([index, 'subject'], `subject ${subject}`, 'another sender');
        if (topic !== undefined) once([index, 'topic'], `topic ${topic}`, subject);
        // Absent where the entry is refused for other reasons.
        for (const [nr, key] of (keys ?? []).entries())
          once([index, 'keys', nr], `key ${key.export({ type: 'spki', format: 'pem' })}`, subject);
      }
    });

/** The senders of a policy by what a message shows of them. */
export class Senders {
  private readonly byKid = new Map<string, BoundSender>();
  private readonly byTopic = new Map<string, BoundSender>();

  constructor(readonly all: readonly BoundSender[]) {
    for (const sender of all) {
      this.byKid.set(sender.subject, sender);
      for (const key of sender.keys)
        if (key.asymmetricKeyType === 'ed25519') this.byKid.set(publicKeyOf(key).kid, sender);
      for (const topic of ownTopics(sender)) this.byTopic.set(topic, sender);
    }
  }

  /** The topics that belong to one sender each, without the prefix of the installation. */
  get topics(): string[] {
    return [...this.byTopic.keys()];
  }

  /** Whose topic it is, by its name without the prefix. */
  ofTopic(name: string): BoundSender | undefined {
    return this.byTopic.get(name);
  }

  /** Whose key it is: by the subject of the sender, or by the thumbprint of a key of Ed25519 (RFC 7638). */
  ofKid(kid: string): BoundSender | undefined {
    return this.byKid.get(kid);
  }
}

const ownTopics = ({ sends, topic }: BoundSender): string[] =>
  topic === undefined ? [] : [...sends].map((base) => `${base}.${topic}`);
