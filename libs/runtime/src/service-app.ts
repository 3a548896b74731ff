import type { DynamicModule, Type } from '@nestjs/common';
import type { Consumer } from '#messaging';
import type { Retention, Trim } from './trims.js';

/** A part of an app that runs beside its requests and consumers. */
export interface Worker {
  start(): Promise<void>;
  /** Waits for work in progress. */
  stop(): Promise<void>;
}

/** One app as a process runs it, alone or beside others. The types are providers of its module. */
export interface ServiceApp {
  /** Its name in sentences: `timer`. */
  name: string;
  module: DynamicModule;
  consumers?: Type<Consumer>[];
  /** Consumers of configurations and answers that platform services send, if there is a Kafka for them. */
  submissionConsumers?: Type<Consumer>[];
  /** Consumers of the reports of schedulers, if they describe the cluster. Providers of the runtime. */
  inventoryConsumers?: Type<Consumer>[];
  workers?: Type<Worker>[];
  /** It sets timers, or is woken by them. */
  usesWakeUpQueue?: boolean;
  /** The trims of a process with this app, besides those of every process. */
  trims?: (kept: Retention) => Trim[];
  /** The folder of the page that it serves. */
  page?: string;
  /**
   * Of a service without which no run evicts: whether it evicts nothing, whatever mode is set for a partition
   * (CURTAIL_MODE=observe).
   */
  observesOnly?: boolean;
  /** It takes the commands of operators, which have connections of their own to the database. */
  takesCommands?: boolean;
}
