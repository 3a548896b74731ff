import { decodeProtectedHeader, flattenedVerify } from 'jose';
import { isWithin } from '#contracts';
import { catalog, inboundTopics } from '#contracts/events';
import { signatureHeader, signedBytes } from '../signing/message-signature.js';
import { signatureAlgorithms } from './oidc.js';
import type { BoundSender, Senders } from './senders.js';

/** A message of somebody else than Curtail, as it is on its topic. */
export interface OutsideMessage {
  /** Of the catalog. */
  topic: string;
  /** The topic as the brokers name it. */
  topicName: string;
  key: string;
  headers: ReadonlyMap<string, string>;
  value: Uint8Array | null;
  /** Its value as JSON; undefined: it is none. */
  data: unknown;
}

/** The sender of a message, or why it is refused: in a sentence, with the header or field that is wrong. */
export type SenderOrRefusal = { sender: string } | { reason: string; field: string };

/** Says it for each message; undefined: the policy says nothing about senders. */
export type CheckSenders = (messages: readonly OutsideMessage[]) => Promise<SenderOrRefusal[] | undefined>;

export interface SenderCheckOptions {
  /** The senders of the policy in force; undefined: it says nothing about senders. */
  senders: () => Senders | undefined;
  /** Of the installation, before every topic. */
  prefix: string;
  /** A signed message is refused after so long, in milliseconds: the ids of handled messages are known for longer, so none is handled twice. */
  validMs: number;
  /** The partitions of requested evictions, by their ids. */
  partitionsOf: (evictionIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  now?: () => number;
}

/** The clock of a sender may be ahead by so much. */
const aheadMs = 3_600_000;
const longestSignature = 8192;

class Refused extends Error {
  constructor(
    message: string,
    readonly field: string,
  ) {
    super(message);
  }
}

/**
 * Checks for messages of outsiders who sent them, and whether that one may send them: Kafka tells a consumer nothing of it. A topic of its own,
 * which the brokers protect, or a signature shows the sender; the policy file says what it may send. docs/how-to/senders.md
 */
export class SenderCheck {
  constructor(private readonly options: SenderCheckOptions) {}

  async check(messages: readonly OutsideMessage[]): Promise<SenderOrRefusal[] | undefined> {
    const senders = this.options.senders();
    if (senders === undefined) return undefined;
    const evictions = messages.flatMap(({ topic, data }) =>
      topic === inboundTopics.evictionAnswers ? (textIn(data, 'evictionId') ?? []) : [],
    );
    const partitions = evictions.length > 0 ? await this.options.partitionsOf(evictions) : new Map();
    return Promise.all(
      messages.map(async (message): Promise<SenderOrRefusal> => {
        try {
          const sender = await this.senderOf(message, senders);
          assertBound(message, sender, partitions);
          return { sender: sender.subject };
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          return { reason: error.message, field: error.field };
        }
      }),
    );
  }

  private async senderOf(message: OutsideMessage, senders: Senders): Promise<BoundSender> {
    const { topic, topicName, headers } = message;
    const name = topicName.slice(this.options.prefix.length);
    const owner = senders.ofTopic(name);
    if (name !== topic && owner === undefined)
      throw new Refused(`the policy file binds no sender to ${topicName}`, 'topic');
    if (owner !== undefined && owner.keys.length === 0) return owner;
    const signature = headers.get(signatureHeader);
    if (signature === undefined)
      throw new Refused(
        `the message on ${topicName} has no signature, and anyone could have sent it`,
        signatureHeader,
      );
    const signer = await this.signerOf(message, signature, senders);
    if (owner !== undefined && signer !== owner)
      throw new Refused(
        `${topicName} belongs to ${owner.subject}, and ${signer.subject} has signed the message`,
        signatureHeader,
      );
    return signer;
  }

  private async signerOf(message: OutsideMessage, signature: string, senders: Senders): Promise<BoundSender> {
    const refuse = (what: string) =>
      new Refused(`the signature of the message on ${message.topicName} ${what}`, signatureHeader);
    const [, head, mark] = /^([\w-]+)\.\.([\w-]+)$/.exec(signature.slice(0, longestSignature)) ?? [];
    if (head === undefined || mark === undefined) throw refuse('is no detached JWS in compact form');
    const { kid, b64 } = headOf(head);
    if (typeof kid !== 'string') throw refuse('has no kid, which must be the subject of its sender');
    const sender = senders.ofKid(kid);
    if (sender === undefined || sender.keys.length === 0)
      throw refuse(
        `is by ${JSON.stringify(kid.slice(0, 100))}, and no sender of the policy file has that key`,
      );
    const bytes = this.bytesOf(message);
    if (bytes === undefined) throw refuse('is over a line feed in the key or a header');
    const payload = b64 === false ? bytes : Buffer.from(bytes).toString('base64url');
    for (const key of sender.keys) {
      try {
        await flattenedVerify({ protected: head, payload, signature: mark }, key, {
          algorithms: signatureAlgorithms,
        });
        this.assertRecent(message);
        return sender;
      } catch (error) {
        if (error instanceof Refused) throw error;
      }
    }
    throw refuse(`is not that of ${sender.subject} over this topic, key, content and these headers`);
  }

  private bytesOf({ topicName: topic, key, headers, value }: OutsideMessage): Uint8Array | undefined {
    const header = (name: string) => headers.get(name) ?? '';
    return signedBytes({
      topic,
      key,
      headers: {
        ce_id: header('ce_id'),
        ce_source: header('ce_source'),
        ce_type: header('ce_type'),
        ce_time: header('ce_time'),
      },
      value: value ?? '',
    });
  }

  /** A copy of a message is known by its id for a while; a later one is too old. */
  private assertRecent({ topicName, headers }: OutsideMessage): void {
    const { validMs, now = Date.now } = this.options;
    const age = now() - Date.parse(headers.get('ce_time') ?? '');
    if (Number.isNaN(age)) throw new Refused(`the signed message on ${topicName} has no time`, 'ce_time');
    if (age > validMs)
      throw new Refused(
        `the signed message on ${topicName} is older than ${validMs / 3_600_000} hours: it is a copy, or came too late`,
        'ce_time',
      );
    if (age < -aheadMs)
      throw new Refused(
        `the signed message on ${topicName} is from a time to come: set the clock of its sender`,
        'ce_time',
      );
  }
}

/** @throws Refused if its sender may not send this message. */
function assertBound(
  { topic, headers, data }: OutsideMessage,
  { subject, sends, partitions, queue }: BoundSender,
  partitionsOfEvictions: ReadonlyMap<string, string>,
): void {
  if (!sends.has(topic))
    throw new Refused(`the policy file does not let ${subject} send on ${topic}`, 'topic');
  if (partitions !== undefined) {
    const answers = topic === inboundTopics.evictionAnswers;
    const partition = answers
      ? partitionsOfEvictions.get(textIn(data, 'evictionId') ?? '')
      : textIn(data, 'partition')?.toLowerCase();
    if (partition === undefined || !partitions.has(partition))
      throw new Refused(
        `the policy file does not let ${subject} send ${partition === undefined ? 'for no partition, or for an eviction that was not requested' : `for partition ${partition.slice(0, 64)}`}`,
        answers ? 'data.evictionId' : 'data.partition',
      );
  }
  if (queue === undefined || headers.get('ce_type') !== catalog.ConfigSubmitted.type) return;
  const about = textIn(data, 'queue')?.toLowerCase();
  if (about === undefined || about === queue || !isWithin(about, queue))
    throw new Refused(
      `the policy file lets ${subject} submit single queues below ${queue} only`,
      'data.queue',
    );
}

function textIn(data: unknown, name: string): string | undefined {
  const value = (data as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}

function headOf(head: string): { kid?: unknown; b64?: unknown } {
  try {
    return decodeProtectedHeader({ protected: head, signature: '', payload: '' }) as {
      kid?: unknown;
      b64?: unknown;
    };
  } catch {
    return {};
  }
}
