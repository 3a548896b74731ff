import type { DynamicModule, Type } from '@nestjs/common';
import type { Retention, Trim } from './trims.js';

/** A part of an app that runs beside its requests and event handlers. */
export interface Worker {
  start(): Promise<void>;
  /** Waits for work in progress. */
  stop(): Promise<void>;
}

/**
 * One app as a process runs it, alone or beside others. The types are providers of its module; Nest finds the handlers of its requests and
 * events among the controllers.
 */
export interface ServiceApp {
  /** Its name in sentences: `timer`. */
  name: string;
  module: DynamicModule;
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
