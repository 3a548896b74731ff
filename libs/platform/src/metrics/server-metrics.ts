import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';

/** The servers that the process needs, asked when its metrics are read. */
export function serverMetrics(registers: Registry[]) {
  let ask: () => Promise<ReadonlyMap<string, boolean>> = async () => new Map();
  new Gauge({
    name: 'curtail_server_down',
    help: '1 for a server that does not do what this process needs of it, or does not answer, else 0; by server, as in /readyz: database, kafka, redis, kubernetes.',
    labelNames: ['server'],
    registers,
    async collect() {
      const servers = await ask();
      this.reset();
      for (const [server, isDown] of servers) this.set({ server }, isDown ? 1 : 0);
    },
  });
  return {
    /** @param asking whether each server is down, by name; never rejects, and within the time that a scrape may take. */
    askWith(asking: () => Promise<ReadonlyMap<string, boolean>>): void {
      ask = asking;
    },
  };
}

const requestBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Requests to the HTTP API. */
export function requestMetrics(registers: Registry[]) {
  const durations = new Histogram({
    name: 'curtail_http_request_seconds',
    help: 'Time to answer a request, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: requestBuckets,
    registers,
  });
  return {
    answered(labels: { method: string; route: string; status: number }, seconds: number): void {
      durations.observe(labels, seconds);
    },
  };
}

/**
 * The default metrics of prom-client. To measure delays of the event loop it would wake the process a hundred times a second: the share of time
 * in which the loop is busy, which costs nothing, takes their place.
 */
export function collectOfProcess(registry: Registry): void {
  const prefix = 'curtail_';
  const seldomMs = 3_600_000;
  collectDefaultMetrics({ register: registry, prefix, eventLoopMonitoringPrecision: seldomMs });
  for (const which of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
    registry.removeSingleMetric(`${prefix}nodejs_eventloop_lag_${which}_seconds`);
  let last = performance.eventLoopUtilization();
  new Gauge({
    name: `${prefix}event_loop_utilization`,
    help: 'Share of the time since the last reading in which the event loop was busy, from 0 to 1.',
    registers: [registry],
    collect() {
      const now = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(now, last).utilization);
      last = now;
    },
  });
}

/** The database of the process. */
export function databaseMetrics(registers: Registry[]) {
  const refused = new Gauge({
    name: 'curtail_database_writes_refused',
    help: '1 while the database refuses every write, by reason: its disk is full, or it is read-only.',
    labelNames: ['reason'],
    registers,
  });
  return {
    /** @param reason undefined: it takes writes. */
    refusesWrites(reason: string | undefined): void {
      refused.reset();
      if (reason !== undefined) refused.set({ reason }, 1);
    },
  };
}

/** Tables that grow with time. */
export function tableMetrics(registers: Registry[]) {
  const trimmed = new Counter({
    name: 'curtail_trimmed_rows_total',
    help: 'Expired rows that were deleted, by table.',
    labelNames: ['table'],
    registers,
  });
  const sizes = new Gauge({
    name: 'curtail_table_bytes',
    help: 'Size of tables that grow with time, indexes and partitions included, by table.',
    labelNames: ['table'],
    registers,
  });
  return {
    rowsTrimmed(table: string, rows: number): void {
      trimmed.inc({ table }, rows);
    },
    isLarge(table: string, bytes: number): void {
      sizes.set({ table }, bytes);
    },
  };
}
