import { catalog, eventName, type Topic, topics } from '@curtail/contracts';
import { type KnownEvent, known, type StoredEvent, UnreadableEvent } from '@curtail/event-store';
import type { KafkaMessage } from 'kafkajs';
import { sourceOf } from './outgoing-message.js';
import { stableId } from './outsider-id.js';

/** A message as an event, and where it stood. What is wrong with it is told when it is read. */
export interface Delivery {
  event: StoredEvent;
  wrong?: UnreadableEvent;
  /** It was sent once more on demand, for others than Curtail. */
  replayed: boolean;
  message: KafkaMessage;
  partition: number;
}

/**
 * Takes a message for what its headers say (CloudEvents 1.0, binary mode). It does not throw: also what cannot be read has an
 * id, under which it is parked once.
 */
export function deliveryOf(topic: Topic, partition: number, message: KafkaMessage): Delivery {
  const headers = headersOf(message);
  const place = { transactionId: headers.get('ce_transactionid'), position: headers.get('ce_position') };
  const source = headers.get('ce_source');
  const isOurs =
    logTopics.has(topic) &&
    isNumber(place.transactionId) &&
    isNumber(place.position) &&
    source === sourceOf(headers.get('ce_partition') ?? '');
  const { data, wrong } = read(topic, message, headers);
  const id = headers.get('ce_id');
  const event: StoredEvent = {
    transactionId: isOurs ? place.transactionId! : '0',
    position: isOurs ? place.position! : '0',
    stream: headers.get('ce_stream') ?? source ?? '',
    version: Number(headers.get('ce_version') ?? 0) || 0,
    id: idOf(isOurs, id, source, `${topic}/${partition}@${message.offset}`),
    type: headers.get('ce_type') ?? '',
    topic,
    partition: headers.get('ce_partition') ?? partitionIn(data) ?? '',
    key: message.key?.toString() ?? headers.get('ce_subject') ?? '',
    time: timeOf(headers.get('ce_time'), message.timestamp),
    data,
    traceparent: traceparentOf(headers.get('traceparent')),
    tracestate: tracestateOf(headers.get('tracestate')),
    ...(isOurs || source === undefined ? {} : { source }),
  };
  return {
    event,
    ...(wrong ? { wrong } : {}),
    replayed: headers.get('ce_replayed') === 'true',
    message,
    partition,
  };
}

/** The type that a message says it has, as it is written usually: what says nothing here may still say it to `deliveryOf`. */
export function typeOf({ headers }: KafkaMessage): string | undefined {
  const type = headers?.ce_type;
  return Buffer.isBuffer(type) ? type.toString() : undefined;
}

/** @throws UnreadableEvent that names the header or the field that is wrong. */
export function readDelivery({ event, wrong }: Delivery): KnownEvent {
  if (wrong) throw wrong;
  const read = known(event);
  if (logTopics.has(event.topic) && event.transactionId === '0') {
    throw new UnreadableEvent(
      `only what stands in the log of Curtail belongs on ${event.topic}, and this does not say where`,
      'ce_source',
    );
  }
  return read;
}

/** What is on them stands in the log. On all others nothing does, whatever a message says of itself. */
const logTopics = new Set<string>(Object.values(topics));

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function idOf(isOurs: boolean, id: string | undefined, source: string | undefined, place: string): string {
  if (id === undefined || source === undefined) return stableId(place);
  return isOurs && uuid.test(id) ? id : stableId(`${source}\n${id}`);
}

function read(
  topic: Topic,
  { value }: KafkaMessage,
  headers: Map<string, string>,
): { data: unknown; wrong?: UnreadableEvent } {
  const bad = (field: string, what: string) => ({
    data: undefined,
    wrong: new UnreadableEvent(`the message on ${topic} cannot be read at ${field}: ${what}`, field),
  });
  const contentType = headers.get('content-type') ?? 'application/json';
  if (contentType.startsWith('application/cloudevents')) {
    return bad('content-type', `is ${contentType}; send the attributes as ce_ headers (binary mode)`);
  }
  if (!/^application\/([\w.-]+\+)?json\b/.test(contentType)) {
    return bad('content-type', `is ${contentType.slice(0, 100)}, and has to be application/json`);
  }
  if (headers.get('ce_specversion') !== '1.0') return bad('ce_specversion', 'has to be 1.0');
  for (const name of ['ce_id', 'ce_source', 'ce_type']) {
    const text = headers.get(name);
    if (!text) return bad(name, 'is missing');
    if (text.length > longestAttribute) return bad(name, `is longer than ${longestAttribute} characters`);
  }
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
    const unstorable = escapeOfUnstorable.test(text) ? pathOfUnstorable(data, 'data') : undefined;
    return unstorable === undefined ? { data } : bad(unstorable, 'has a character that no text may have');
  } catch (error) {
    return bad('data', (error as Error).message);
  }
}

/** There is no other way to write them in JSON. */
const escapeOfUnstorable = /\\u(0000|d[89a-f])/i;

/** Where a text stands that the database does not take: with the character 0, or with half of one. */
function pathOfUnstorable(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = isStorable(name) ? pathOfUnstorable(inner, `${path}.${name}`) : path;
    if (found !== undefined) return found;
  }
  return undefined;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

const longestAttribute = 1024;

function headersOf({ headers = {} }: KafkaMessage): Map<string, string> {
  const all = new Map<string, string>();
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    const first = Array.isArray(value) ? value[0] : value;
    // A header may also have no value at all: the client then says null, whatever its types say.
    if (first !== undefined && first !== null) all.set(name.toLowerCase(), first.toString());
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

/** As long as it has to be passed on (W3C Trace Context); printable. */
function tracestateOf(text: string | undefined): string | null {
  return text && /^[\x20-\x7e]{1,512}$/.test(text) ? text : null;
}
