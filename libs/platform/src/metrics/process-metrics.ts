import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

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
