import { Counter, Gauge, type Registry } from 'prom-client';

/** The relay of this process, which publishes the log to Kafka. */
export function relayMetrics(registers: Registry[]) {
  const published = new Counter({
    name: 'curtail_events_published_total',
    help: 'Events of the log that the relay of this process has published.',
    registers,
  });
  const leads = new Gauge({
    name: 'curtail_relay_leads',
    help: 'Whether the relay of this process publishes: 1, or 0 while it is on standby.',
    registers,
  });
  const unpublished = new Gauge({
    name: 'curtail_relay_behind_events',
    help: 'Events of the log that are not published yet, whichever process publishes; counted up to 100,000.',
    registers,
  });
  return {
    hasPublished(events: number): void {
      published.inc(events);
    },
    isBehind(events: number): void {
      unpublished.set(events);
    },
    isLeading(publishes: boolean): void {
      leads.set(publishes ? 1 : 0);
    },
  };
}
