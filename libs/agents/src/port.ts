import type { DomainEvent, EventData } from '@curtail/contracts';
import type { InventoryChanges, InventoryListing } from './inventory-changes.js';

export type EvictionRequest = EventData<'EvictionRequested'>;
export type EvictionAnnouncement = EventData<'EvictionAnnounced'>;
export type EvictionAnswer = EventData<'EvictionAnswered'>;
export type ConfigurationOutcome =
  | { kind: 'applied'; data: EventData<'ConfigApplied'> }
  | { kind: 'refused'; data: EventData<'ConfigRefused'> };

/** Something of a cluster that tells when it has changed. */
interface Changing {
  /** Resolves when all of it is known. Afterwards `onChange` is called whenever there is something new. */
  start(onChange: () => void): Promise<void>;
  stop(): Promise<void>;
}

/** What runs in a cluster. */
export interface ReportSource extends Changing {
  /** What has changed since the last call, or since the last listing. */
  changes(): InventoryChanges;
  /** Everything that there is. What has changed until now counts as reported with it. */
  listing(): InventoryListing;
  /**
   * Whether changes come in. While they do not, nothing is reported: whatever an agent sends counts as a sign that it knows its
   * cluster.
   */
  readonly isHeard: boolean;
  /** Whether what is known is true now: changes come in, and the cluster answers. */
  isCurrent(): Promise<boolean>;
}

/** It is submitted again when its id has changed; without one, when anything about it has. */
export type SourceConfiguration = Omit<EventData<'ConfigSubmitted'>, 'partition' | 'submission'> & {
  submission?: string;
};

/** The queues and quotas of a cluster. */
export interface ConfigurationSource extends Changing {
  /** Undefined while it cannot be told: what was submitted before stays in force. */
  configuration(): SourceConfiguration | undefined;
  /** What became of it. */
  heard(outcome: ConfigurationOutcome): Promise<void>;
}

/** What an agent answers to a request; ids are added by who has them. */
export type EvictionOutcome =
  | { answer: 'accepted'; repeated?: boolean }
  | { answer: 'gone' }
  | { answer: 'other-incarnation'; uid: string }
  | { answer: 'refused'; retryable: boolean; code: string; message: string; retryAfterMs?: number };

/** Ends allocations, and tells their owners. */
export interface Evictor {
  /** A throw means that nothing is known: no answer is given, and Curtail asks again. */
  evict(request: EvictionRequest): Promise<EvictionOutcome>;
  announce(announcement: EvictionAnnouncement): Promise<void>;
}

/** What Curtail tells an agent. It may come twice. */
export interface FromCurtail {
  evict(request: EvictionRequest): void;
  announce(announcement: EvictionAnnouncement): void;
  configuration(outcome: ConfigurationOutcome): void;
}

/** An event of an agent, without what the way adds to it. */
export interface Message {
  event: DomainEvent;
  /** Messages of one key keep their order. */
  key: string;
}

/** The way between an agent and Curtail, such as Kafka. */
export interface AgentTransport {
  /** Hears Curtail from now on. */
  start(heard: FromCurtail): Promise<void>;
  /** Resolves when they cannot be lost any more. They arrive in their order, and may arrive twice. */
  send(messages: Message[]): Promise<void>;
  stop(): Promise<void>;
}
