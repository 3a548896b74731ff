import { hash } from 'node:crypto';
import type { KafkaMessage } from 'kafkajs';
import { findUnstorable, mayBeUnstorable, type Topic } from '#contracts';
import { catalog, eventName, topics } from '#contracts/events';
import {
  beginning,
  type Cursor,
  type KnownEvent,
  readOnce,
  type StoredEvent,
  UnreadableEvent,
} from '#event-store';
import { unreadableIn } from './kafkajs-patches/unreadable-batches.js';
import { sourceOf } from './outgoing-message.js';
import { RepeatedTexts } from './repeated-texts.js';

/** A message as an event, and its offset. An error in it is reported when it is read. */
export interface Delivery {
  /** Of a message on a topic of the log: its claims, without data, until `checkAgainstLog` has found it there. */
  event: StoredEvent;
  wrong?: UnreadableEvent;
  /** It was republished on demand, for consumers other than Curtail. */
  replayed: boolean;
  message: KafkaMessage;
  /** Without the prefix of the installation: that of the event, or one of a single sender. */
  from: string;
  partition: number;
}

/**
 * Converts a message by its headers (CloudEvents 1.0, binary mode). It does not throw: even an unreadable message has
 * an id, under which it becomes one dead letter.
 */
export function deliveryOf(
  topic: Topic,
  partition: number,
  message: KafkaMessage,
  from: string = topic,
): Delivery {
  const headers = textHeadersOf(message);
  const { data, wrong } = contentOf(topic, message, headers);
  const source = headers.get('ce_source');
  const place = placeOf(topic, headers, wrong);
  // Without spreads, which take most of the time: everything that arrives goes through here.
  const event: StoredEvent = {
    transactionId: place.transactionId,
    position: place.position,
    stream: headers.get('ce_stream') ?? source ?? '',
    version: Number(headers.get('ce_version') ?? 0) || 0,
    id: idOf(topic, headers, wrong, `${from}/${partition}@${message.offset}`),
    type: headers.get('ce_type') ?? '',
    topic,
    partition: headers.get('ce_partition') ?? partitionIn(data) ?? '',
    key: message.key?.toString() ?? headers.get('ce_subject') ?? '',
    time: timeOf(headers.get('ce_time'), message.timestamp),
    data,
    traceparent: traceparentOf(headers.get('traceparent')),
    tracestate: tracestateOf(headers.get('tracestate')),
  };
  if (source !== undefined) event.source = source;
  const delivery: Delivery = {
    event,
    replayed: headers.get('ce_replayed') === 'true',
    message,
    from,
    partition,
  };
  if (wrong) delivery.wrong = wrong;
  return delivery;
}

function contentOf(
  topic: Topic,
  message: KafkaMessage,
  headers: Map<string, string>,
): { data: unknown; wrong?: UnreadableEvent | undefined } {
  const unread = unreadableWhole(message);
  if (unread !== undefined) return { data: undefined, wrong: new UnreadableEvent(unread, 'batch') };
  if (isLogTopic(topic)) return { data: undefined, wrong: wrongClaim(topic, headers) };
  return read(topic, message, headers);
}

/** Why a message stands for others that could not be read, in a sentence; undefined: it does not. */
export function unreadableWhole(message: KafkaMessage): string | undefined {
  const batch = unreadableIn(message);
  if (!batch) return undefined;
  const { first, count, reason } = batch;
  const last = message.offset;
  return first === last
    ? `the message at offset ${last} was skipped unread: ${reason}`
    : `${count} messages at offsets ${first} to ${last} were skipped unread: ${reason}`;
}

/**
 * The type in the headers of a message, in its usual encoding; a type that is not found here may still be found by
 * `deliveryOf`.
 */
export function typeOf({ headers }: KafkaMessage): string | undefined {
  const type = headers?.ce_type;
  return Buffer.isBuffer(type) ? type.toString() : undefined;
}

/** Its data are so long that the message only refers to them: they must not be in memory together with others. */
export function isReference({ headers }: KafkaMessage): boolean {
  return headers?.ce_dataref !== undefined;
}

/** @throws UnreadableEvent that names the wrong header or field. */
export function readDelivery({ event, wrong }: Delivery): KnownEvent {
  if (wrong) throw wrong;
  return readOnce(event);
}

/** Topics whose messages are in the log. On all other topics none is, whatever a message contains. */
export function isLogTopic(topic: string): boolean {
  return logTopics.has(topic);
}

const logTopics = new Set<string>(Object.values(topics));

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function placeOf(topic: Topic, headers: Map<string, string>, wrong: UnreadableEvent | undefined): Cursor {
  if (!isLogTopic(topic) || wrong) return beginning;
  return { transactionId: headers.get('ce_transactionid')!, position: headers.get('ce_position')! };
}

function idOf(
  topic: Topic,
  headers: Map<string, string>,
  wrong: UnreadableEvent | undefined,
  origin: string,
): string {
  const id = headers.get('ce_id');
  const source = headers.get('ce_source');
  if (id === undefined || source === undefined) return stableId(origin);
  return isLogTopic(topic) && !wrong ? id : stableId(`${source}\n${id}`);
}

/** The reason why a message on a topic of the log is not read there. Its value is not read: the log has the data. */
function wrongClaim(topic: Topic, headers: Map<string, string>): UnreadableEvent | undefined {
  const envelope = wrongEnvelope(topic, headers);
  if (envelope) return envelope;
  const claims: [name: string, isRight: boolean][] = [
    ['ce_source', headers.get('ce_source') === sourceOf(headers.get('ce_partition') ?? '')],
    ['ce_id', uuid.test(headers.get('ce_id') ?? '')],
    ['ce_transactionid', isNumber(headers.get('ce_transactionid'))],
    ['ce_position', isNumber(headers.get('ce_position'))],
  ];
  const field = claims.find(([, isRight]) => !isRight)?.[0];
  if (field === undefined) return undefined;
  return new UnreadableEvent(
    `only events of Curtail's log belong on ${topic}, and by its ${field} this message does not come from there`,
    field,
  );
}

function unreadable(topic: Topic, field: string, what: string): UnreadableEvent {
  return new UnreadableEvent(`the message on ${topic} cannot be read at ${field}: ${what}`, field);
}

function wrongEnvelope(topic: Topic, headers: Map<string, string>): UnreadableEvent | undefined {
  if (headers.get('ce_specversion') !== '1.0') return unreadable(topic, 'ce_specversion', 'must be 1.0');
  for (const name of ['ce_id', 'ce_source', 'ce_type']) {
    const text = headers.get(name);
    if (!text) return unreadable(topic, name, 'is missing');
    if (text.length > longestAttribute) {
      return unreadable(topic, name, `is longer than ${longestAttribute} characters`);
    }
  }
  return undefined;
}

function read(
  topic: Topic,
  { value }: KafkaMessage,
  headers: Map<string, string>,
): { data: unknown; wrong?: UnreadableEvent } {
  const bad = (field: string, what: string) => ({ data: undefined, wrong: unreadable(topic, field, what) });
  const contentType = headers.get('content-type') ?? 'application/json';
  if (contentType.startsWith('application/cloudevents')) {
    return bad('content-type', `is ${contentType}; send the attributes as ce_ headers (binary mode)`);
  }
  if (!/^application\/([\w.-]+\+)?json\b/.test(contentType)) {
    return bad('content-type', `is ${contentType.slice(0, 100)}; it must be application/json`);
  }
  const envelope = wrongEnvelope(topic, headers);
  if (envelope) return { data: undefined, wrong: envelope };
  const name = eventName(headers.get('ce_type')!);
  if (!name) {
    const type = headers.get('ce_type');
    return bad(
      'ce_type',
      `this version of Curtail does not know the type ${type}: upgrade it, or correct the sender`,
    );
  }
  if (catalog[name].topic !== topic) {
    return bad('ce_type', `${catalog[name].type} belongs on the topic ${catalog[name].topic}`);
  }
  if (!value) return bad('data', 'there is none');
  try {
    const text = value.toString();
    const data: unknown = JSON.parse(text);
    const unstorable = mayBeUnstorable(text) ? findUnstorable(data, 'data') : undefined;
    return unstorable === undefined ? { data } : bad(unstorable.path, unstorable.why);
  } catch (error) {
    return bad('data', (error as Error).message);
  }
}

const longestAttribute = 1024;

const values = new RepeatedTexts();

/** The first value of each header, by its name in lower case. */
export function textHeadersOf({ headers = {} }: KafkaMessage): Map<string, string> {
  const all = new Map<string, string>();
  let place = 0;
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    const first = Array.isArray(value) ? value[0] : value;
    // A header may also have no value at all: the client then returns null, whatever its types are.
    if (Buffer.isBuffer(first)) all.set(name.toLowerCase(), values.decode(place, first));
    else if (first !== undefined && first !== null) all.set(name.toLowerCase(), first);
    place++;
  }
  return all;
}

function isNumber(text: string | undefined): boolean {
  return text !== undefined && /^\d{1,19}$/.test(text);
}

function partitionIn(data: unknown): string | undefined {
  const partition = (data as { partition?: unknown } | null | undefined)?.partition;
  return typeof partition === 'string' ? partition : undefined;
}

function timeOf(text: string | undefined, timestamp: string): Date {
  const time = new Date(text ?? Number(timestamp));
  return Number.isNaN(time.getTime()) ? new Date(Number(timestamp)) : time;
}

function traceparentOf(text: string | undefined): string | null {
  return text && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(text) ? text : null;
}

/** The length that has to be passed on (W3C Trace Context); printable. */
function tracestateOf(text: string | undefined): string | null {
  return text && /^[\x20-\x7e]{1,512}$/.test(text) ? text : null;
}

/** The namespace of this project; any value, as long as it stays. */
const namespace = Buffer.from('5f0c8a9e2d6b4b1c9d3e7a4415c0b7aa', 'hex');
/** The namespace, and room for the longest text of an event with its source. */
const hashed = Buffer.concat([namespace], 16_384);

/** A UUID (version 5) that is always the same for the same text: events of others may have any text as their id. */
export function stableId(text: string): string {
  const fits = 3 * text.length <= hashed.length - namespace.length;
  const bytes = fits
    ? hashed.subarray(0, namespace.length + hashed.write(text, namespace.length))
    : Buffer.concat([namespace, Buffer.from(text)]);
  const hex = hash('sha1', bytes);
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
