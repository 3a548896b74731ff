import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { agentMetrics } from './agent-metrics.js';
import { clockMetrics } from './clock-metrics.js';
import { consumerMetrics } from './consumer-metrics.js';
import { databaseMetrics } from './database-metrics.js';
import { inventoryMetrics } from './inventory-metrics.js';
import { collectOfProcess } from './process-metrics.js';
import { relayMetrics } from './relay-metrics.js';
import { requestMetrics } from './request-metrics.js';
import { roundMetrics } from './round-metrics.js';
import { runMetrics } from './run-metrics.js';
import { serverMetrics } from './server-metrics.js';
import { tableMetrics } from './table-metrics.js';
import { waitingMetrics } from './waiting-metrics.js';
import { webhookMetrics } from './webhook-metrics.js';

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
