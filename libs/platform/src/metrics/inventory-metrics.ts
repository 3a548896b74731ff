import { Gauge, type Registry } from 'prom-client';

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
