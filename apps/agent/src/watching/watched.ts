import type { Logger } from 'pino';
import type { ActInTerm, ConfigurationSource, Evictor, PartitionedCluster, ReportSource } from '#agents';
import type { KafkaConnection } from '#messaging/kafka';
import type { ReadinessCheck, SettingsOf } from '#platform';
import type { KubernetesSettings, YarnVariables, YtsaurusVariables } from '#runtime';
import type { agentSettings } from '../settings/agent-settings.js';

export type WatchingSettings = KubernetesSettings &
  YarnVariables &
  YtsaurusVariables &
  SettingsOf<typeof agentSettings>;

export interface WatchingOptions {
  settings: WatchingSettings;
  kafka: KafkaConnection;
  /** The name of this machine. */
  host: string;
  log: Logger;
  onTrouble: (what: string, error: Error) => void;
}

/** A cluster of any kind, as an agent in its own process watches it. Nothing is connected before it is asked for. */
export interface Watched {
  /** Where it is, for people. */
  readonly address: string;
  /** The sentence for the log once it is known. */
  readonly connected: string;
  readonly checks: readonly ReadinessCheck[];
  /** The consumer group of its agents, without the prefix: known once the agent may begin. */
  readonly group: string;
  /** Resolves when the agent may begin: true, or false if `signal` has ended the wait. */
  untilAllowed(signal: AbortSignal): Promise<boolean>;
  /** Calls `act` whenever this agent is the active one, until `signal` aborts. */
  lead(act: ActInTerm, signal: AbortSignal): Promise<void>;
  /** New connections and new state, for one term. @param assertHeld throws once the term is over. */
  connect(assertHeld: () => void): WatchedCluster;
  close(): void;
}

/** The connection of one term. */
export interface WatchedCluster extends PartitionedCluster {
  readonly evictor: Evictor;
  partition(name: string): ReportSource & ConfigurationSource;
  /** The CloudEvents source of a sender for this cluster. */
  speaksAs(sender: string): string;
  /** The number of known pods or containers, and the age of what is known. */
  size(): { pods: number; silentSeconds: number };
  /** Cuts off requests in flight; the cluster is stopped by itself. */
  close(): void;
}

/** The consumer group of a cluster's agents, without the prefix. */
export const groupOf = (partition: string): string =>
  `agent-${partition.replaceAll(/[^a-zA-Z0-9._-]/g, '_')}`;
