import { Counter, Gauge, type Registry } from 'prom-client';
import { LabelBound } from './label-bound.js';

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
