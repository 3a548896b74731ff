import type { Consumer } from '@curtail/messaging';
import type { DynamicModule, Type } from '@nestjs/common';
import type { Retention, Trim } from './trims.js';

/** Something of an app that runs beside its requests and consumers. */
export interface Worker {
  start(): Promise<void>;
  /** Lets what is in progress end. */
  stop(): Promise<void>;
}

/** One app as a process runs it, alone or beside others. The types are providers of its module. */
export interface ServiceApp {
  /** As it is called in sentences: `timer`. */
  name: string;
  module: DynamicModule;
  consumers?: Type<Consumer>[];
  /** Of configurations that platform services send: where there is a Kafka that they can send them to. */
  submissionConsumers?: Type<Consumer>[];
  /** Of what schedulers send: where the cluster is known by that. Providers of the runtime. */
  inventoryConsumers?: Type<Consumer>[];
  workers?: Type<Worker>[];
  /** It sets timers, or is woken by them. */
  usesWakeUpQueue?: boolean;
  /** The trims of a process with this app, beside those of every process. */
  trims?: (kept: Retention) => Trim[];
  /** It takes the commands of operators, which have connections of their own to the database. */
  takesCommands?: boolean;
}
