import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { clockMetrics, roundMetrics } from './clock-metrics.js';
import { consumerMetrics, relayMetrics } from './consumer-metrics.js';
import { agentMetrics, inventoryMetrics } from './inventory-metrics.js';
import { runMetrics } from './run-metrics.js';
import {
  collectOfProcess,
  databaseMetrics,
  requestMetrics,
  serverMetrics,
  tableMetrics,
} from './server-metrics.js';
import { waitingMetrics, webhookMetrics } from './waiting-metrics.js';

/** Every metric of Curtail, by subject; gauges of one policy are defined by it (`clocks.setOwn`). No label has queues, ids or other unbounded values. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private readonly registers = [this.registry];
  readonly runs = runMetrics(this.registers);
  readonly rounds = roundMetrics(this.registers);
  readonly clocks = clockMetrics(this.registers);
  readonly waiting = waitingMetrics(this.registers);
  readonly webhook = webhookMetrics(this.registers);
  readonly consumers = consumerMetrics(this.registers);
  readonly relay = relayMetrics(this.registers);
  readonly database = databaseMetrics(this.registers);
  readonly servers = serverMetrics(this.registers);
  readonly tables = tableMetrics(this.registers);
  readonly inventory = inventoryMetrics(this.registers);
  readonly agent = agentMetrics(this.registers);
  readonly requests = requestMetrics(this.registers);

  constructor() {
    collectOfProcess(this.registry);
  }
}
