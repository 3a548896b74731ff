import type { DomainEvent, EventData } from '#contracts';
import type { InventoryChanges, InventoryListing } from './inventory-changes.js';

export type RequestToAgent = EventData<'EvictionRequested'>;
export type AnnouncedToAgent = EventData<'EvictionAnnounced'>;
/** What became of an answer of an owner. */
export type AnswerResult =
  | { kind: 'accepted'; data: EventData<'OwnerAnswered'> }
  | { kind: 'refused'; data: EventData<'OwnerAnswerRefused'> };
/** What Curtail has recorded of an eviction that it requested: `unknown` where it received no answer, and the allocation is gone since. */
export type RecordedEviction =
  | { kind: 'evicted'; data: EventData<'VictimEvicted'> }
  | { kind: 'unknown'; data: EventData<'VictimGone'> };
export type ConfigurationOutcome =
  | { kind: 'applied'; data: EventData<'ConfigApplied'> }
  | { kind: 'refused'; data: EventData<'ConfigRefused'> };

/** A source of cluster data that notifies about changes. */
interface Changing {
  /** Resolves when all its data is known. Afterwards it calls `onChange` at every change. */
  start(onChange: () => void): Promise<void>;
  stop(): Promise<void>;
}

/** The work and the nodes of a cluster. */
export interface ReportSource extends Changing {
  /** Returns the changes since the last call, or since the last listing. */
  changes(): InventoryChanges;
  /** Returns the whole inventory. Changes until now count as reported with it. */
  listing(): InventoryListing;
  /** Returns the answers of owners since the last call, each once; absent: owners do not answer in this cluster. */
  ownerAnswers?(): AnswerOfOwner[];
  /**
   * Whether changes arrive. While they do not, the agent reports nothing: every message of an agent counts as a sign that it knows
   * its cluster.
   */
  readonly isSynced: boolean;
  /** Whether the known state is current: changes arrive, and the cluster answers. */
  isCurrent(): Promise<boolean>;
}

/** An answer of an owner, without the partition, which the agent adds. */
export type AnswerOfOwner = Omit<EventData<'OwnerAnswerSent'>, 'partition'>;

/** It is submitted again when its id has changed, or, without an id, when anything in it has changed. */
export type SourceConfiguration = Omit<EventData<'ConfigSubmitted'>, 'partition' | 'submission'> & {
  submission?: string;
};

/** The queues and quotas of a cluster. */
export interface ConfigurationSource extends Changing {
  /** Undefined while it is unknown: the last submission then stays in force. */
  configuration(): SourceConfiguration | undefined;
  /** Receives the outcome of the submission. */
  recordOutcome(outcome: ConfigurationOutcome): Promise<void>;
}

/** The answer to a request, without its ids, which the agent adds. */
export type EvictionOutcome =
  | { answer: 'accepted'; repeated?: boolean }
  | { answer: 'gone' }
  | { answer: 'other-incarnation'; uid: string }
  | { answer: 'refused'; retryable: boolean; code: string; message: string; retryAfterMs?: number };

/** Evicts allocations, and notifies their owners. */
export interface Evictor {
  /**
   * A throw means that the outcome is unknown: the agent sends no answer, and Curtail repeats the request.
   *
   * @param isValid whether the request may still be carried out. Once its time is over, Curtail continues without it, so the evictor checks this
   * right before the eviction, however long the cluster took until then.
   */
  evict(request: RequestToAgent, isValid: () => boolean): Promise<EvictionOutcome>;
  announce(announcement: AnnouncedToAgent): Promise<void>;
  /** Notifies an owner of what became of the answer; absent: owners do not answer in this cluster. */
  answered?(result: AnswerResult): Promise<void>;
  /** Notifies an owner of an eviction that was recorded without this agent: its answer was lost, or it was started anew meanwhile. */
  recorded?(eviction: RecordedEviction): Promise<void>;
}

/** Handlers of the messages that Curtail sends to an agent. A message may arrive twice. */
export interface FromCurtail {
  evict(request: RequestToAgent): void;
  announce(announcement: AnnouncedToAgent): void;
  answered(result: AnswerResult): void;
  /** Absent: it is not of interest. */
  recorded?(eviction: RecordedEviction): void;
  configuration(outcome: ConfigurationOutcome): void;
}

/** An event of an agent, without the attributes that the transport adds. */
export interface Message {
  event: DomainEvent;
  /** Messages of one key keep their order. */
  key: string;
}

/** The transport between an agent and Curtail, such as Kafka. */
export interface AgentTransport {
  /** Starts to receive messages of Curtail. */
  start(handlers: FromCurtail): Promise<void>;
  /** Resolves when the messages can no longer be lost. They arrive in their order, and may arrive twice. */
  send(messages: Message[]): Promise<void>;
  stop(): Promise<void>;
}
