import { Counter, Gauge, type Registry } from 'prom-client';
import { LabelBound } from './label-bound.js';

/** What the reports of schedulers say of themselves. */
export function inventoryMetrics(registers: Registry[]) {
  const skewOfClocks = new Gauge({
    name: 'curtail_platform_clock_skew_seconds',
    help: 'Offset of the clock of a platform service from that of the database; negative: behind. Only clocks with a significant offset.',
    labelNames: ['partition', 'source'],
    registers,
  });
  const withNotices = new Gauge({
    name: 'curtail_inventory_notices',
    help: 'Partitions with problems in the reports of their scheduler, by code.',
    labelNames: ['code'],
    registers,
  });
  const unknownPartitions = new Gauge({
    name: 'curtail_inventory_unknown_partitions',
    help: 'Partitions without planning or evictions because their reports are stale or incomplete.',
    registers,
  });
  const unreadReports = new Gauge({
    name: 'curtail_inventory_unread_reports',
    help: 'Reports of schedulers on Kafka that are not applied yet.',
    registers,
  });
  return {
    /** Sources that are no longer named have no offset any more. */
    clocksAreOff(skews: readonly { partition: string; source: string; seconds: number }[]): void {
      skewOfClocks.reset();
      for (const { partition, source, seconds } of skews) skewOfClocks.set({ partition, source }, seconds);
    },
    reportsAre({
      notices,
      unknown,
      unread,
    }: {
      notices: ReadonlyMap<string, number>;
      unknown: number;
      unread: number;
    }): void {
      withNotices.reset();
      for (const [code, partitions] of notices) withNotices.set({ code }, partitions);
      unknownPartitions.set(unknown);
      unreadReports.set(unread);
    },
  };
}

/** The agent beside a cluster. */
export function agentMetrics(registers: Registry[]) {
  const codes = new LabelBound(200);
  const evictions = new Counter({
    name: 'curtail_agent_evictions_total',
    help: 'Eviction requests that the agent has answered, by answer; refusals by code.',
    labelNames: ['answer', 'code'],
    registers,
  });
  const reports = new Counter({
    name: 'curtail_agent_reports_sent_total',
    help: 'Reports that the agent has sent, including pages of listings and confirmations, by event.',
    labelNames: ['event'],
    registers,
  });
  const knownPods = new Gauge({
    name: 'curtail_agent_pods',
    help: 'Pods that run or wait, as the agent knows them.',
    registers,
  });
  const silence = new Gauge({
    name: 'curtail_agent_watch_silence_seconds',
    help: 'Time since the last event of the watch that has been silent longest; a bookmark arrives about every minute.',
    registers,
  });
  const leads = new Gauge({
    name: 'curtail_agent_leads',
    help: 'Whether this agent is active: 1, or 0 while it is on standby for another.',
    registers,
  });
  return {
    answered(answer: string, code = ''): void {
      evictions.inc({ answer, code: codes.of(code) });
    },
    sent(event: string): void {
      reports.inc({ event });
    },
    knows({ pods, silentSeconds }: { pods: number; silentSeconds: number }): void {
      knownPods.set(pods);
      silence.set(silentSeconds);
    },
    isLeading(isActive: boolean): void {
      leads.set(isActive ? 1 : 0);
    },
  };
}
