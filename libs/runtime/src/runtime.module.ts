import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock, WakeListener } from '#event-store';
import { EVENT_BUS, LINE_SENDER, REPUBLISHER } from '#messaging';
import { WAKE_UP_QUEUE } from '#timers';
import { OPERATOR_DATABASE, READER_DATABASE, SCAN_DATABASE } from './databases.js';
import type { Runtime } from './runtime.js';

@Global()
@Module({})
class RuntimeModule {}

/** Offers the database, the bus, the wake-up queue and the other providers of the process to every module. */
export function runtimeModule(
  {
    database,
    operatorDatabase,
    readerDatabase,
    scanDatabase,
    clock,
    wake,
    bus,
    wakeUpQueue,
    republisher,
    lineSender,
  }: Runtime,
  others: Provider[] = [],
  imports: NonNullable<DynamicModule['imports']> = [],
): DynamicModule {
  const providers: Provider[] = [
    { provide: DataSource, useValue: database },
    { provide: DatabaseClock, useValue: clock },
    { provide: OPERATOR_DATABASE, useValue: operatorDatabase },
    { provide: READER_DATABASE, useValue: readerDatabase },
    { provide: SCAN_DATABASE, useValue: scanDatabase },
    { provide: WakeListener, useValue: wake },
    { provide: EVENT_BUS, useValue: bus },
    { provide: REPUBLISHER, useValue: republisher ?? null },
    { provide: LINE_SENDER, useValue: lineSender ?? null },
    ...(wakeUpQueue ? [{ provide: WAKE_UP_QUEUE, useValue: wakeUpQueue }] : []),
    ...others,
  ];
  return {
    module: RuntimeModule,
    imports,
    providers,
    exports: providers.map((provider) => (typeof provider === 'function' ? provider : provider.provide)),
  };
}
