/** One way into a broker. */
export interface Listener {
  /** In capitals; other properties go by it. */
  name: string;
  port: number;
  protocol: 'PLAINTEXT' | 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL';
  /** Where clients are sent, if not to `port` on 127.0.0.1: `localhost:9093`, whose name is in the certificate. */
  advertised?: string;
}

export interface BrokerLayout {
  nodeId: number;
  dataFolder: string;
  /** All of the cluster, by node id. */
  controllerPorts: ReadonlyMap<number, number>;
  /** The first is the one between brokers. */
  listeners: readonly Listener[];
  /** Further properties; one that stands here replaces the usual one. */
  settings?: Record<string, string | number>;
}

/** Small, and quick to notice a death: for tests only. */
const small = {
  'log.cleaner.dedupe.buffer.size': 2_097_152,
  'log.cleaner.threads': 1,
  'num.network.threads': 2,
  'num.io.threads': 4,
  'background.threads': 2,
  'group.min.session.timeout.ms': 1000,
  // Until the session of a killed broker is over, its node id may not register again.
  'broker.session.timeout.ms': 2000,
  'broker.heartbeat.interval.ms': 500,
};

/** Topics are made by Curtail, never by accident. Internal ones start faster with few partitions. */
const always = {
  'process.roles': 'broker,controller',
  'controller.listener.names': 'CONTROLLER',
  'auto.create.topics.enable': 'false',
  'group.initial.rebalance.delay.ms': 0,
  'offsets.topic.num.partitions': 8,
  'transaction.state.log.num.partitions': 4,
};

function replicated(size: number): Record<string, number> {
  const copies = Math.min(size, 3);
  const least = Math.max(1, copies - 1);
  return {
    'offsets.topic.replication.factor': copies,
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': least,
    'share.coordinator.state.topic.replication.factor': copies,
    'share.coordinator.state.topic.min.isr': least,
    ...(copies > 1 && {
      'default.replication.factor': copies,
      'min.insync.replicas': least,
      'controller.quorum.election.timeout.ms': 500,
      'controller.quorum.fetch.timeout.ms': 1000,
      'broker.session.timeout.ms': 3000,
    }),
  };
}

/** Writes server.properties for a broker that is its own controller (KRaft). */
export function brokerProperties(layout: BrokerLayout): string {
  const { nodeId, dataFolder, controllerPorts, listeners, settings = {} } = layout;
  const voters = [...controllerPorts].map(([id, port]) => `${id}@127.0.0.1:${port}`);
  const own = `CONTROLLER://127.0.0.1:${controllerPorts.get(nodeId)}`;
  const properties = {
    ...always,
    ...small,
    ...replicated(controllerPorts.size),
    'node.id': nodeId,
    'controller.quorum.voters': voters.join(','),
    'log.dirs': dataFolder,
    listeners: [...listeners.map(({ name, port }) => `${name}://127.0.0.1:${port}`), own].join(','),
    'advertised.listeners': listeners
      .map(({ name, port, advertised = `127.0.0.1:${port}` }) => `${name}://${advertised}`)
      .join(','),
    'listener.security.protocol.map': [
      ...listeners.map(({ name, protocol }) => `${name}:${protocol}`),
      'CONTROLLER:PLAINTEXT',
    ].join(','),
    'inter.broker.listener.name': listeners[0]?.name ?? '',
    ...settings,
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
