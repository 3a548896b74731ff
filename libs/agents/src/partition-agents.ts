import type { Agent } from './agent.js';
import type { AgentTransport, FromCurtail, Message } from './port.js';

/** A cluster with one or several partitions; each has its own inventory. */
export interface PartitionedCluster {
  readonly partitions: readonly string[];
  /** Resolves when the whole cluster is known. Afterwards it calls `onChange` at every change. */
  start(onChange: () => void): Promise<void>;
  stop(): Promise<void>;
}

/** Runs an agent for each partition of a cluster, as soon as the partition exists. A partition that leaves the cluster is no longer reported. */
export class PartitionAgents {
  private readonly agents = new Map<string, Agent>();
  private readonly transport: SharedTransport;
  private isStopped = false;

  constructor(
    private readonly cluster: PartitionedCluster,
    transport: AgentTransport,
    private readonly agentOf: (partition: string, transport: AgentTransport) => Agent,
    private readonly onTrouble: (what: string, error: Error) => void,
  ) {
    this.transport = new SharedTransport(transport);
  }

  /** Resolves when the cluster is known, and its first listings are being sent. */
  async start(): Promise<void> {
    await this.cluster.start(() => {
      this.follow().catch((error: Error) => this.onTrouble('Could not report a partition', error));
    });
    if (this.isStopped) return;
    await this.transport.start();
    await this.follow();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all([...this.agents.values()].map((agent) => agent.stop()));
    await this.transport.stop();
    await this.cluster.stop();
  }

  private async follow(): Promise<void> {
    if (this.isStopped || !this.transport.isStarted) return;
    const added = this.cluster.partitions.filter((partition) => !this.agents.has(partition));
    await Promise.all(
      added.map((partition) => {
        const agent = this.agentOf(partition, this.transport.forOne());
        this.agents.set(partition, agent);
        return agent.start();
      }),
    );
  }
}

/** One transport for several agents. Each receives every message, and handles those of its partition. */
class SharedTransport {
  isStarted = false;
  private readonly listeners = new Set<FromCurtail>();

  constructor(private readonly inner: AgentTransport) {}

  async start(): Promise<void> {
    await this.inner.start({
      evict: (request) => {
        for (const one of this.listeners) one.evict(request);
      },
      announce: (announcement) => {
        for (const one of this.listeners) one.announce(announcement);
      },
      answered: (result) => {
        for (const one of this.listeners) one.answered(result);
      },
      recorded: (eviction) => {
        for (const one of this.listeners) one.recorded?.(eviction);
      },
      configuration: (outcome) => {
        for (const one of this.listeners) one.configuration(outcome);
      },
    });
    this.isStarted = true;
  }

  stop(): Promise<void> {
    return this.inner.stop();
  }

  forOne(): AgentTransport {
    let own: FromCurtail | undefined;
    return {
      start: async (handlers) => {
        own = handlers;
        this.listeners.add(handlers);
      },
      send: (messages: Message[]) => this.inner.send(messages),
      stop: async () => {
        if (own) this.listeners.delete(own);
      },
    };
  }
}
