/** What Prometheus has read, minute by minute, and whether an alert fires. */
export interface RuleCase {
  alert: string;
  /** Samples from minute 0 on, in the notation of promtool: `0x5 1x10` is six zeros, then eleven ones. */
  series: Record<string, string>;
  /** Nothing fires at this minute … */
  quietAt: number;
  /** … and at this one it does. */
  firesAt: number;
  severity: 'critical' | 'warning';
  labels?: Record<string, string>;
  summary: string;
}

const timer = 'instance="timer-0:8080"';
/** Evictions of a process, minute by minute. */
const evicted = 'curtail_victims_total{outcome="evicted",instance="executor-0:8080"}';

/** At least one case for each alert. */
export const ruleCases: RuleCase[] = [
  {
    alert: 'CurtailAbsent',
    series: { [`curtail_event_loop_utilization{${timer}}`]: '0.1x5 stale' },
    ...{ quietAt: 8, firesAt: 12, severity: 'critical', summary: 'No process of Curtail can be read.' },
  },
  {
    alert: 'CurtailKafkaDown',
    series: {
      [`curtail_server_down{server="kafka",${timer}}`]: '0x4 1x10',
      'curtail_server_down{server="kafka",instance="planner-0:8080"}': '0x20',
    },
    ...{ quietAt: 6, firesAt: 7, severity: 'critical' },
    summary: 'A process of Curtail cannot reach Kafka.',
  },
  {
    alert: 'CurtailRedisDown',
    series: { [`curtail_server_down{server="redis",${timer}}`]: '0x4 1x10' },
    ...{ quietAt: 6, firesAt: 7, severity: 'critical' },
    summary: 'The timer of Curtail cannot reach Redis.',
  },
  {
    alert: 'CurtailPostgresqlDown',
    series: { [`curtail_server_down{server="database",${timer}}`]: '0x4 1x10' },
    ...{ quietAt: 5, firesAt: 6, severity: 'critical' },
    summary: 'A process of Curtail cannot reach its database.',
  },
  {
    alert: 'CurtailPostgresqlDown',
    // A full disk is an alert of its own, until the database is gone altogether.
    series: {
      [`curtail_server_down{server="database",${timer}}`]: '1x20',
      [`curtail_database_writes_refused{reason="database-full",${timer}}`]: '1x10 stale',
    },
    ...{ quietAt: 10, firesAt: 12, severity: 'critical' },
    summary: 'A process of Curtail cannot reach its database.',
  },
  {
    alert: 'CurtailDatabaseFull',
    series: { [`curtail_database_writes_refused{reason="database-full",${timer}}`]: '_x4 1x10' },
    ...{ quietAt: 3, firesAt: 5, severity: 'critical', summary: 'The disk of the database is full.' },
  },
  {
    alert: 'CurtailDatabaseReadOnly',
    series: { [`curtail_database_writes_refused{reason="database-read-only",${timer}}`]: '_x4 1x10' },
    ...{ quietAt: 4, firesAt: 6, severity: 'critical', summary: 'The database is read-only.' },
  },
  {
    alert: 'CurtailNothingPublished',
    series: {
      [`curtail_relay_leads{${timer}}`]: '1x4 0x10',
      'curtail_relay_leads{instance="timer-1:8080"}': '0x20',
    },
    ...{ quietAt: 6, firesAt: 7, severity: 'critical', summary: 'No process publishes the log to Kafka.' },
  },
  {
    alert: 'CurtailPublishingBehind',
    series: { [`curtail_relay_behind_events{${timer}}`]: '10x4 1001x10' },
    ...{ quietAt: 9, firesAt: 10, severity: 'warning' },
    summary: '1001 events of the log are not published yet.',
  },
  {
    alert: 'CurtailClockWrong',
    series: { 'curtail_platform_clock_skew_seconds{partition="gpu",source="//gpu"}': '_x4 -90x10' },
    ...{ quietAt: 8, firesAt: 9, severity: 'warning', labels: { partition: 'gpu', source: '//gpu' } },
    summary: 'The clock of //gpu is 1m 30s off.',
  },
  {
    alert: 'CurtailAgentSilent',
    series: { 'curtail_inventory_notices{code="silent"}': '_x4 2x10' },
    ...{ quietAt: 5, firesAt: 6, severity: 'critical', labels: { code: 'silent' } },
    summary: 'Nothing reports 2 of the partitions (silent).',
  },
  {
    alert: 'CurtailWatchSilent',
    series: {
      'curtail_agent_watch_silence_seconds{instance="agent-0:8080"}': '60x4 360x10',
      'curtail_agent_leads{instance="agent-0:8080"}': '1x20',
      // One on standby watches nothing.
      'curtail_agent_watch_silence_seconds{instance="agent-1:8080"}': '9999x20',
      'curtail_agent_leads{instance="agent-1:8080"}': '0x20',
    },
    ...{ quietAt: 6, firesAt: 7, severity: 'warning', labels: { instance: 'agent-0:8080' } },
    summary: 'The agent agent-0:8080 has not heard of its cluster for 6m 0s.',
  },
  {
    alert: 'CurtailClusterUnknown',
    series: { curtail_inventory_unknown_partitions: '0x4 1x20' },
    ...{ quietAt: 14, firesAt: 15, severity: 'warning' },
    summary: 'The state of 1 partitions is unknown.',
  },
  {
    alert: 'CurtailReportsUnread',
    // A backlog that is worked off is no fault.
    series: { curtail_inventory_unread_reports: '5x8 0 5x20' },
    ...{ quietAt: 18, firesAt: 21, severity: 'warning' },
    summary: 'Reports of schedulers have been unread for ten minutes.',
  },
  ...(
    [
      ['CurtailDeadLetters', 'curtail_dead_letters_total', 'consumer', 'planner', 'critical'],
      ['CurtailForgedMessages', 'curtail_forged_messages_total', 'topic', 'curtail.enforcement', 'critical'],
      ['CurtailEventsLost', 'curtail_gaps_filled_total', 'consumer', 'planner', 'warning'],
      ['CurtailReconciled', 'curtail_reconciled_total', 'what', 'timer', 'warning'],
    ] as const
  ).flatMap(([alert, metric, label, value, severity]): RuleCase[] => {
    const summary = {
      CurtailDeadLetters: 'The consumer planner could not handle an event.',
      CurtailForgedMessages: 'Forged messages are on curtail.enforcement.',
      CurtailEventsLost: 'Kafka has lost events.',
      CurtailReconciled: 'The timer has corrected a timer.',
    }[alert];
    const one = { alert, severity, summary, labels: { [label]: value } };
    const of = (instance: string) => `${metric}{${label}="${value}",instance="${instance}"}`;
    return [
      // The first appears with its counter; the next increases it.
      { ...one, series: { [of('a')]: '_x4 1x60' }, quietAt: 3, firesAt: 5 },
      { ...one, series: { [of('a')]: '1x40 2x60' }, quietAt: 38, firesAt: 42 },
      // An old one does not hide that of a new process.
      { ...one, series: { [of('a')]: '1x30 stale', [of('b')]: '_x31 1x20' }, quietAt: 29, firesAt: 33 },
    ];
  }),
  {
    alert: 'CurtailConsumerBehind',
    series: { 'curtail_handled_place_age_seconds{consumer="planner"}': '0x4 301x10' },
    ...{ quietAt: 9, firesAt: 10, severity: 'warning', labels: { consumer: 'planner' } },
    summary: 'planner has not handled an event for 5m 1s.',
  },
  {
    alert: 'CurtailConsumerWaits',
    series: { 'curtail_consumer_waits{consumer="planner"}': '0x4 1x40' },
    ...{ quietAt: 34, firesAt: 35, severity: 'warning', labels: { consumer: 'planner' } },
    summary: 'planner waits for a process of a newer release.',
  },
  {
    alert: 'CurtailSweepFails',
    series: { 'curtail_sweep_failures_total{step="clocks",partition="gpu"}': '0x10 0+1x10' },
    ...{ quietAt: 12, firesAt: 18, severity: 'warning', labels: { step: 'clocks', partition: 'gpu' } },
    summary: 'The sweep of partition gpu fails (clocks).',
  },
  {
    alert: 'CurtailRunWaitsForApproval',
    series: { 'curtail_runs_waiting_for_approval{partition="gpu"}': '0x4 2x20' },
    ...{ quietAt: 14, firesAt: 15, severity: 'warning', labels: { partition: 'gpu' } },
    summary: '2 runs of partition gpu wait for an approval.',
  },
  {
    alert: 'CurtailRunWaits',
    series: {
      'curtail_waiting{reason="size-unknown"}': '_x4 3x30',
      // Clocks that wait for their delay are no fault.
      'curtail_waiting{reason="due"}': '9x40',
    },
    ...{ quietAt: 18, firesAt: 19, severity: 'warning', labels: { reason: 'size-unknown' } },
    summary: '3 clocks and runs wait (size-unknown).',
  },
  {
    alert: 'CurtailQueueStaysAboveQuota',
    series: { 'curtail_quotas_not_met{partition="gpu"}': '0x4 1x20' },
    ...{ quietAt: 14, firesAt: 15, severity: 'warning', labels: { partition: 'gpu' } },
    summary: '1 queues of partition gpu stay above their quota.',
  },
  {
    alert: 'CurtailEvictionsFail',
    series: { 'curtail_victims_total{outcome="failed"}': '0x4 0+1x40' },
    ...{ quietAt: 5, firesAt: 20, severity: 'warning', summary: 'Evictions fail or are refused.' },
  },
  {
    alert: 'CurtailManyEvictions',
    series: { [evicted]: '0+5x20 100+50x20' },
    ...{ quietAt: 19, firesAt: 32, severity: 'warning' },
    summary: '500 allocations were evicted within ten minutes.',
  },
  {
    alert: 'CurtailCeilingNearlyUsed',
    series: { 'curtail_ceiling_used_ratio{partition="gpu",ceiling="hour"}': '0.8x4 0.95x10' },
    ...{ quietAt: 4, firesAt: 6, severity: 'warning', labels: { partition: 'gpu', ceiling: 'hour' } },
    summary: '95% of the ceiling hour of partition gpu are used.',
  },
  {
    alert: 'CurtailTimersLate',
    series: {
      'curtail_timer_lateness_seconds_bucket{le="5"}': '0x40',
      'curtail_timer_lateness_seconds_bucket{le="10"}': '0x4 0+10x40',
      'curtail_timer_lateness_seconds_bucket{le="+Inf"}': '0x4 0+10x40',
    },
    ...{ quietAt: 5, firesAt: 30, severity: 'warning' },
    summary: 'Runs start 9.95s after they are due.',
  },
  {
    alert: 'CurtailRoundsFail',
    series: { 'curtail_rounds_total{policy="fair-share",result="failed"}': '0x10 0+1x10' },
    ...{ quietAt: 12, firesAt: 19, severity: 'warning', labels: { policy: 'fair-share' } },
    summary: 'Rounds of fair-share fail.',
  },
  {
    alert: 'CurtailWebhookRejected',
    series: { 'curtail_webhook_attempts_total{result="dead"}': '_x4 1x20' },
    ...{ quietAt: 3, firesAt: 5, severity: 'warning' },
    summary: 'The receiver of the webhook accepts no messages.',
  },
];
