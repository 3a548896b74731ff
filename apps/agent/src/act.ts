import type { Logger } from 'pino';
import { Agent, AgentError, type AgentTransport, PartitionAgents, Sequence, type Term } from '#agents';
import { KafkaTransport } from '#agents/kafka';
import type { KafkaConnection } from '#messaging/kafka';
import type { Metrics, SigningKey } from '#platform';
import { whenAborted } from '#waiting';
import { machineNow } from './kubernetes/open-kubernetes.js';
import type { Watched } from './watching/watched.js';

export interface ActOptions {
  watched: Watched;
  kafka: KafkaConnection;
  /** The name of this machine in the cluster. */
  host: string;
  log: Logger;
  metrics: Metrics;
  signingKey?: SigningKey | undefined;
  onTrouble: (what: string, error: Error) => void;
}

const measureEveryMs = 5000;

/**
 * Reports and evicts as long as a term holds, with new connections and state for each term. Resolves when nothing more can be sent,
 * neither to the cluster nor to Curtail.
 *
 * @param registerSequence receives a function that returns the greatest sequence sent so far.
 */
export async function act(
  term: Term,
  registerSequence: (sequence: () => number) => void,
  { watched, kafka, host, log, metrics, signingKey, onTrouble }: ActOptions,
): Promise<void> {
  const assertHeld = () => {
    if (!term.holds()) throw new AgentError('not-active', 'this agent is no longer active');
  };
  const cluster = watched.connect(assertHeld);
  const transport = new KafkaTransport({
    connection: kafka,
    signingKey,
    group: watched.group,
    isOurs: (one) => cluster.partitions.includes(one),
    source: () => cluster.speaksAs(host),
    now: machineNow,
    onTrouble: (error) => onTrouble('Could not receive messages from Curtail; retrying', error),
    onUnreadable: (error) => onTrouble('Skipped a message from Curtail that cannot be read', error),
  });
  const sequences: Sequence[] = [];
  registerSequence(() => Math.max(term.sequenceAfter, ...sequences.map(({ current }) => current)));
  const agentOf = (name: string, transport: AgentTransport) => {
    const view = cluster.partition(name);
    // One for each partition: a confirmation names the last report of its partition.
    const sequence = new Sequence(0, term.sequenceAfter);
    sequences.push(sequence);
    return new Agent({
      partition: name,
      reports: view,
      configuration: view,
      evictor: cluster.evictor,
      transport,
      sequence,
      now: () => machineNow().getTime(),
      onTrouble,
    });
  };
  const agents = new PartitionAgents(cluster, counted(transport, metrics, assertHeld), agentOf, onTrouble);
  metrics.agent.isLeading(true);
  log.info({ sequence: term.sequenceAfter }, 'This agent is active: it reports, and carries out evictions.');
  const measuring = setInterval(() => metrics.agent.knows(cluster.size()), measureEveryMs);
  const started = agents.start().then(
    () => log.info({ partitions: cluster.partitions }, watched.connected),
    (error: Error) => onTrouble('Could not start the agent', error),
  );
  try {
    await whenAborted(term.signal);
  } finally {
    clearInterval(measuring);
    metrics.agent.isLeading(false);
    log.info({ partitions: cluster.partitions }, 'This agent is no longer active.');
    // Requests in flight are cut off first: another agent may become active soon.
    cluster.close();
    await Promise.all([transport.stop(), agents.stop(), started]);
  }
}

/** Counts sent messages, and refuses to send once the term is over. */
function counted(transport: AgentTransport, metrics: Metrics, assertHeld: () => void): AgentTransport {
  return {
    start: (handlers) => transport.start(handlers),
    stop: () => transport.stop(),
    send: async (messages) => {
      assertHeld();
      await transport.send(messages);
      for (const { event } of messages) {
        if (event.name === 'EvictionAnswered') {
          const { answer } = event.data;
          metrics.agent.answered(answer, answer === 'refused' ? event.data.code : undefined);
        } else metrics.agent.sent(event.name);
      }
    },
  };
}
