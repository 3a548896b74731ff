import { Agent, type AgentTransport, PartitionAgents, Sequence } from '@curtail/agents';
import { KafkaTransport } from '@curtail/agents/kafka';
import { type AgentRole, assertDeclared, callsFor, purposesOf, type Term } from '@curtail/agents/kubernetes';
import type { KafkaConnection } from '@curtail/messaging/kafka';
import type { Metrics } from '@curtail/platform';
import type { KubernetesSettings } from '@curtail/runtime';
import type { Logger } from 'pino';
import { machineNow } from './machine-clock.js';
import { openApi, openCluster } from './open-kubernetes.js';

export interface ActOptions {
  settings: KubernetesSettings;
  partition: string;
  role: AgentRole;
  kafka: KafkaConnection;
  /** The machine, as it is called in the cluster. */
  host: string;
  log: Logger;
  metrics: Metrics;
  onTrouble: (what: string, error: Error) => void;
}

const measureEveryMs = 5000;

/**
 * Reports and evicts for as long as a term holds. Everything is made anew for it, and resolves when nothing more can be sent: neither to
 * the cluster nor to Curtail.
 */
export async function act(
  term: Term,
  tell: (sequence: () => number) => void,
  { settings, partition, role, kafka, host, log, metrics, onTrouble }: ActOptions,
): Promise<void> {
  const rules = callsFor(purposesOf(role));
  const assertHeld = () => {
    if (!term.holds()) throw new Error('this agent acts no longer');
  };
  const api = openApi(settings, (method, path, isWatch) => {
    assertDeclared(method, path, isWatch, rules);
    if (method !== 'GET') assertHeld();
  });
  const cluster = openCluster(settings, {
    api,
    partition,
    mode: () => role.mode,
    now: machineNow,
    log,
    onTrouble,
  });
  const transport = new KafkaTransport({
    connection: kafka,
    group: groupOf(partition),
    isOurs: (one) => cluster.partitions.includes(one),
    source: () => cluster.speaksAs(host),
    now: machineNow,
    onTrouble: (error) => onTrouble('Curtail cannot be heard', error),
    onUnreadable: (error) => onTrouble('what Curtail says cannot be read', error),
  });
  const sequences: Sequence[] = [];
  tell(() => Math.max(term.sequenceAfter, ...sequences.map(({ current }) => current)));
  const agentOf = (name: string, way: AgentTransport) => {
    const view = cluster.partition(name);
    // One each: a confirmation names the last report of its partition.
    const sequence = new Sequence(0, term.sequenceAfter);
    sequences.push(sequence);
    return new Agent({
      partition: name,
      reports: view,
      configuration: view,
      evictor: cluster.evictor,
      transport: way,
      sequence,
      now: () => machineNow().getTime(),
      onTrouble,
    });
  };
  const agents = new PartitionAgents(cluster, counted(transport, metrics, assertHeld), agentOf, onTrouble);
  metrics.agentLeading(true);
  log.info({ sequence: term.sequenceAfter }, 'This agent acts: it reports, and carries out evictions.');
  const measuring = setInterval(() => {
    const { pods, silentMs } = cluster.status();
    metrics.agentKnows({ pods, silentSeconds: silentMs / 1000 });
  }, measureEveryMs);
  const started = agents.start().then(
    () => log.info('Kubernetes is known: pods, nodes and quotas are reported.'),
    (error: Error) => onTrouble('the agent could not be started', error),
  );
  try {
    await aborted(term.signal);
  } finally {
    clearInterval(measuring);
    metrics.agentLeading(false);
    log.info('This agent stops acting.');
    // What is on its way is cut off first: another may begin soon.
    api.close();
    await Promise.all([transport.stop(), agents.stop(), started]);
  }
}

/** The consumer group of a cluster's agents, without the prefix. */
export const groupOf = (partition: string): string =>
  `agent-${partition.replaceAll(/[^a-zA-Z0-9._-]/g, '_')}`;

/** Counts what is sent, and sends nothing any more once the term is over. */
function counted(transport: AgentTransport, metrics: Metrics, assertHeld: () => void): AgentTransport {
  return {
    start: (heard) => transport.start(heard),
    stop: () => transport.stop(),
    send: async (messages) => {
      assertHeld();
      await transport.send(messages);
      for (const { event } of messages) {
        if (event.name === 'EvictionAnswered') {
          const { answer } = event.data;
          metrics.agentAnswered(answer, answer === 'refused' ? event.data.code : undefined);
        } else metrics.agentSent(event.name);
      }
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
