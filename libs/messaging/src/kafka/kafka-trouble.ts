import { CurtailError } from '#contracts';
import { kafkajs } from './kafkajs.js';

/** Kafka or the access to it fails; the message has the remedy where one is known. */
class KafkaTrouble extends CurtailError {
  readonly code = 'kafka-trouble';
}

const { KafkaJSAggregateError, KafkaJSProtocolError } = kafkajs;

/** The first cause of an error of the client: the outer errors only state that it gave up. */
export function causeOf(error: unknown): Error {
  let cause = error instanceof Error ? error : new Error(String(error));
  const seen = new Set<Error>();
  while (!seen.has(cause)) {
    seen.add(cause);
    if (cause instanceof KafkaJSAggregateError) {
      const [first] = cause.errors;
      if (first instanceof Error) cause = first;
    } else if (cause.cause instanceof Error) cause = cause.cause;
  }
  return cause;
}

/** The broker's answer, `TOPIC_AUTHORIZATION_FAILED`; undefined if there was none. */
export function answerOf(error: unknown): string | undefined {
  const cause = causeOf(error);
  return cause instanceof KafkaJSProtocolError ? cause.type : undefined;
}

/**
 * The broker no longer counts this member as part of the group, or is about to: the client has to be notified, so that
 * it joins again.
 */
export function mustRejoin(error: unknown): boolean {
  return [
    'REBALANCE_IN_PROGRESS',
    'ILLEGAL_GENERATION',
    'UNKNOWN_MEMBER_ID',
    'NOT_COORDINATOR_FOR_GROUP',
  ].includes(answerOf(error) ?? '');
}

/**
 * An error with advice for operators.
 *
 * @param about the attempted work: `consumer planner`, with the names of the topics and the group that it needs.
 */
export function describeTrouble(
  error: unknown,
  about: { doing: string; topics?: readonly string[]; group?: string },
): Error {
  const cause = causeOf(error);
  const hint = hints.find(([matches]) =>
    matches.test(`${answerOf(error) ?? ''} ${cause.name} ${cause.message}`),
  );
  return new KafkaTrouble(`${about.doing}: ${cause.message}${hint ? `. ${hint[1](about)}` : ''}`, {
    cause: error,
  });
}

type About = { topics?: readonly string[]; group?: string };
const named = (topics: readonly string[] = []) => topics.join(', ') || 'the topics';

/** Codes of brokers, names of errors of kafkajs, and if there is neither, its messages and those of Node.js. */
const hints: [RegExp, (about: About) => string][] = [
  [
    /TOPIC_AUTHORIZATION_FAILED/,
    ({ topics }) =>
      `An ACL is missing on one of ${named(topics)}: consumers need READ, the relay WRITE, those that read the end of a topic DESCRIBE (docs/how-to/kafka.md, "Rights")`,
  ],
  [
    /GROUP_AUTHORIZATION_FAILED|GroupCoordinatorNotFound|find group coordinator/i,
    ({ group }) =>
      `If the cluster is healthy, an ACL is missing: READ on the group ${group ?? ''} (docs/how-to/kafka.md, "Rights")`,
  ],
  [/CLUSTER_AUTHORIZATION_FAILED/, () => 'An ACL is missing on the cluster (docs/how-to/kafka.md, "Rights")'],
  [
    /UNKNOWN_TOPIC_OR_PARTITION/,
    ({ topics }) =>
      `One of ${named(topics)} does not exist, or this user may not see it: create it, or let Curtail create it (CREATE on the topics)`,
  ],
  [/SASLAuthentication/i, () => 'The broker refuses the user or the password'],
  [
    /Closed connection|ECONNRESET|No brokers in the broker pool|ILLEGAL_SASL_STATE|requires TLS/i,
    () =>
      'A broker closes the connection at once when it refuses an OAUTHBEARER token, and when a TLS port receives plain text or a plain port TLS',
  ],
  [
    /unable to verify|self.signed|certificate/i,
    () => 'No trusted authority signed the certificate of the broker: set the CA that did',
  ],
];
