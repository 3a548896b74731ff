/*
 * The used part of @platformatic/kafka 2.12.1. Its own types are not there on Node 20, where npm leaves the optional dependency out.
 */

export interface Broker {
  host: string;
  port: number;
}

export interface BytesReader {
  readonly buffer: { slice(from: number, to: number): Buffer };
  readonly position: number;
  skip(length: number): void;
  readInt16(): number;
  readInt32(): number;
  readInt64(): bigint;
  readString(): string;
  readUnsignedVarInt(): number;
  readArray<T>(read: (reader: BytesReader) => T): T[];
  readNullableArray<T>(read: (reader: BytesReader) => T): T[] | null;
}

export type Answered<T = unknown> = (error: Error | null, answer?: T) => void;
/** A request of the newest version that the broker knows, too. */
export type Api = (connection: BrokerConnection, ...words: unknown[]) => void;

export interface BrokerConnection {
  socket: { destroy(): void };
  send<T>(
    key: number,
    version: number,
    request: () => unknown,
    read: (correlation: number, key: number, version: number, reader: BytesReader) => T,
    hasRequestTags: boolean,
    hasResponseTags: boolean,
    answered: Answered<T>,
  ): void;
}

export interface Base {
  readonly connections: {
    get(broker: Broker): Promise<BrokerConnection>;
    getFirstAvailable(brokers: readonly Broker[]): Promise<BrokerConnection>;
    getEstablishedConnection(broker: Broker): BrokerConnection | undefined;
  };
  close(): Promise<void>;
}

export interface Producer {
  initIdempotentProducer(options: object): Promise<unknown>;
  send(options: {
    messages: object[];
    acks: number;
    idempotent: boolean;
    repeatOnStaleMetadata: boolean;
    autocreateTopics: boolean;
    compression: 'gzip' | 'none';
  }): Promise<unknown>;
  close(): Promise<void>;
}

interface PartitionsOfTopic {
  topic: string;
  partitions: number[];
}

export interface Library {
  Base: new (options: object) => Base;
  Producer: new (options: object) => Producer;
  Reader: { from(buffer: Buffer): BytesReader };
  ProtocolError: new (code: number) => Error;
  /** The key of a method of `Base`: `(name, Answered<Api>)`. */
  kGetApi: symbol;
  fetchV12: { api: { key: number; version: number }; createRequest(...words: unknown[]): unknown };
  parseBroker(broker: string): Broker;
  compatibilityPartitioner(message: unknown, key: Buffer): number;
  readRecord(reader: BytesReader): {
    timestampDelta: bigint;
    offsetDelta: number;
    key: Buffer | null;
    value: Buffer | null;
    headers: [Buffer | null, Buffer | null][];
  };
  encodeConsumerProtocolSubscription(subscription: { version: number; topics: string[] }): Buffer;
  decodeConsumerProtocolSubscription(buffer: Buffer): { topics: string[] };
  encodeConsumerProtocolAssignment(assignment: {
    version: number;
    assignedPartitions: PartitionsOfTopic[];
  }): Buffer;
  decodeConsumerProtocolAssignment(buffer: Buffer): { assignedPartitions: PartitionsOfTopic[] };
}
