import { z } from 'zod';
import { catalog, type EventName, type Topic } from '#contracts/events';
import { channelUses, deadLetterHeaderSchema, headersOf } from './channels.js';
import { summaries } from './summaries.js';

type Part = Record<string, unknown>;

const deadLetters = { address: 'curtail.dead-letters', channel: 'deadLetters', message: 'DeadLetter' };
const kafkaBinding = '0.5.0';
const ref = (path: string): Part => ({ $ref: `#/${path}` });
const names = Object.keys(catalog) as EventName[];
const topics = Object.keys(channelUses) as Topic[];
/** `curtail.evictions.requests` → `evictionsRequests`. */
const channelOf = (topic: string): string =>
  topic.replace(/^curtail\./, '').replace(/[.-]([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * All topics and messages of Curtail as AsyncAPI 3, from Curtail's point of view: it sends what others may read, and receives the
 * messages of platform services. Checked in as docs/reference/asyncapi.json.
 *
 * @param version of the release.
 */
export function asyncApi(version: string): Part {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Curtail',
      version,
      description:
        'Messages are CloudEvents 1.0 in binary mode: attributes in headers, the data as JSON in the value. A sender needs ' +
        'WRITE on the topic and nothing else; a setting of Curtail (CURTAIL_KAFKA_TOPIC_PREFIX) may put a prefix before all topics. ' +
        'All partitions of Curtail share the topics: `partition` in the data names theirs. Delivery is at least once. ' +
        'What cannot be read or handled is on curtail.dead-letters, with its reason in headers.',
    },
    defaultContentType: 'application/json',
    servers: { kafka: kafkaServer() },
    channels: Object.fromEntries([
      ...topics.map((topic) => [channelOf(topic), channel(topic)]),
      [
        deadLetters.channel,
        {
          address: deadLetters.address,
          description:
            'Messages that a service of Curtail could not handle, unchanged; for operators, and for senders of rejected messages, ' +
            'who find theirs by ce_source and ce_id.',
          messages: { [deadLetters.message]: ref(`components/messages/${deadLetters.message}`) },
        },
      ],
    ]),
    operations: Object.fromEntries([
      ...topics.map((topic) => [operationOf(topic), operation(channelOf(topic), channelUses[topic].action)]),
      ['sendDeadLetters', operation(deadLetters.channel, 'send')],
    ]),
    components: {
      messages: Object.fromEntries([
        ...names.map((name) => [name, message(name)]),
        [
          deadLetters.message,
          {
            summary: 'A message that could not be handled.',
            headers: deadLetterHeaderSchema,
            payload: { description: 'The value of the message, byte for byte.' },
          },
        ],
      ]),
      schemas: Object.fromEntries(names.map((name) => [name, schemaOf(name)])),
      securitySchemes: {
        tls: { type: 'X509', description: 'TLS with a certificate of the client (mTLS).' },
        plain: { type: 'plain', description: 'SASL/PLAIN, over TLS.' },
        scram256: { type: 'scramSha256', description: 'SASL/SCRAM-SHA-256.' },
        scram512: { type: 'scramSha512', description: 'SASL/SCRAM-SHA-512.' },
        oauth: {
          type: 'oauth2',
          description: 'SASL/OAUTHBEARER with a token of your issuer.',
          flows: { clientCredentials: { tokenUrl: 'https://issuer.example/token', availableScopes: {} } },
        },
      },
    },
  };
}

function kafkaServer(): Part {
  return {
    host: '{broker}',
    protocol: 'kafka-secure',
    description:
      'The Kafka that the services of Curtail use (KAFKA_BROKERS). The brokers decide which of the security schemes applies.',
    variables: { broker: { default: 'localhost:9092', description: 'host:port of any broker.' } },
    security: ['tls', 'plain', 'scram256', 'scram512', 'oauth'].map((name) =>
      ref(`components/securitySchemes/${name}`),
    ),
  };
}

function channel(topic: Topic): Part {
  const { from, to, key, description } = channelUses[topic];
  const own = names.filter((name) => catalog[name].topic === topic);
  return {
    address: topic,
    description: `${description} From ${from}, to ${to}. The key is ${key}.`,
    messages: Object.fromEntries(own.map((name) => [name, ref(`components/messages/${name}`)])),
  };
}

const operationOf = (topic: Topic): string => {
  const name = channelOf(topic);
  return channelUses[topic].action + name.charAt(0).toUpperCase() + name.slice(1);
};

function operation(name: string, action: 'send' | 'receive'): Part {
  return { action, channel: ref(`channels/${name}`) };
}

function message(name: EventName): Part {
  const { type, topic } = catalog[name];
  const { action, key } = channelUses[topic];
  return {
    name: type,
    title: name,
    summary: summaries[name],
    headers: headersOf(type, action),
    payload: ref(`components/schemas/${name}`),
    bindings: {
      kafka: { key: { type: 'string', description: `The key: ${key}.` }, bindingVersion: kafkaBinding },
    },
  };
}

/** Unknown fields are allowed and ignored. */
function schemaOf(name: EventName): Part {
  const { $schema: _, ...body } = z.toJSONSchema(catalog[name].schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
  }) as Part;
  return body;
}
