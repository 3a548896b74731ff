import { describe, expect, it } from '@jest/globals';
import { startSampleApp } from '../testing/sample-app.js';
import { Metrics } from './metrics.js';

const names = [
  'curtail_enforcements_total',
  'curtail_victims_total',
  'curtail_timers_pending',
  'curtail_timer_lateness_seconds',
  'curtail_consumer_lag_events',
  'curtail_plan_seconds',
  'curtail_notices_total',
  'curtail_dead_letters_total',
  'curtail_evictions_refused_total',
  'curtail_http_request_seconds',
  'curtail_process_cpu_user_seconds_total',
  'curtail_event_loop_utilization',
];

describe('metrics', () => {
  it('are served in the form of Prometheus, each with a help text', async () => {
    const sample = await startSampleApp();
    try {
      const response = await fetch(`${sample.url}/metrics`);
      expect(response.headers.get('content-type')).toContain('text/plain');
      const text = await response.text();
      for (const name of names) expect(text).toMatch(new RegExp(`^# HELP ${name} \\S`, 'm'));
    } finally {
      await sample.close();
    }
  });

  it('measure requests under the template of the route', async () => {
    const sample = await startSampleApp();
    try {
      for (const queue of ['a', 'b']) await (await fetch(`${sample.url}/v1/sample/queues/${queue}`)).text();
      await (await fetch(`${sample.url}/nowhere/at/all`)).text();
      const text = await (await fetch(`${sample.url}/metrics`)).text();
      const count = (labels: string) => `curtail_http_request_seconds_count{${labels}}`;
      expect(text).toContain(`${count('method="GET",route="/v1/sample/queues/:queue",status="200"')} 2`);
      expect(text).toContain(`${count('method="GET",route="unmatched",status="404"')} 1`);
      expect(text).not.toContain('nowhere');
    } finally {
      await sample.close();
    }
  });

  it('count the events of the domain', async () => {
    const metrics = new Metrics();
    metrics.runs.ended('quota-decrease', 'satisfied');
    metrics.runs.victimEnded('evicted');
    metrics.consumers.isBehind('planner', { lag: 3, ageSeconds: 2.5 });
    metrics.clocks.timersPending.set(2);
    metrics.clocks.timerLateness.observe(0.004);
    const text = await metrics.registry.metrics();
    expect(text).toContain('curtail_enforcements_total{policy="quota-decrease",outcome="satisfied"} 1');
    expect(text).toContain('curtail_victims_total{outcome="evicted"} 1');
    expect(text).toContain('curtail_consumer_lag_events{consumer="planner"} 3');
    expect(text).toContain('curtail_timers_pending 2');
    expect(text).toContain('curtail_timer_lateness_seconds_bucket{le="0.003"} 0');
    expect(text).toContain('curtail_timer_lateness_seconds_bucket{le="0.005"} 1');
  });

  it('do not grow with the input', async () => {
    const metrics = new Metrics();
    for (let n = 0; n < 1000; n++) metrics.runs.noticeGiven(`code-${n}`);
    const series = (await metrics.registry.metrics()).match(/^curtail_notices_total\{/gm);
    expect(series).toHaveLength(201);
  });
});
