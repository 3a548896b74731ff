import { Histogram, type Registry } from 'prom-client';

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
