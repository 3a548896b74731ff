import { Injectable } from '@nestjs/common';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { LabelBound } from './label-bound.js';

/** From one millisecond to ten seconds, dense around the target of 20 ms. */
const latenessBuckets = [
  0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.5, 1, 2, 5, 10,
];
const planBuckets = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const requestBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Every metric of Curtail, by name, in one place; gauges of one policy are defined by it (`setOwn`). No label has queues, ids or other unbounded values. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private readonly registers = [this.registry];
  private readonly own = new Map<string, Gauge>();
  private readonly noticeCodes = new LabelBound(200);
  private readonly consumers = new LabelBound(50);
  private readonly partitions = new LabelBound(200);

  private readonly enforcements = new Counter({
    name: 'curtail_enforcements_total',
    help: 'Enforcements that ended, by policy and outcome.',
    labelNames: ['policy', 'outcome'],
    registers: this.registers,
  });
  private readonly victims = new Counter({
    name: 'curtail_victims_total',
    help: 'Victims of plans, by outcome.',
    labelNames: ['outcome'],
    registers: this.registers,
  });
  private readonly evictionsRefused = new Counter({
    name: 'curtail_evictions_refused_total',
    help: 'Evictions that the cluster or a rule of the run refused.',
    registers: this.registers,
  });
  private readonly preemptions = new Counter({
    name: 'curtail_preemptions_total',
    help: 'Evicted allocations whose plan named a cause, by cause.',
    labelNames: ['cause'],
    registers: this.registers,
  });
  private readonly rounds = new Counter({
    name: 'curtail_rounds_total',
    help: 'Rounds that were planned, by policy and result: recorded, unchanged or failed.',
    labelNames: ['policy', 'result'],
    registers: this.registers,
  });
  private readonly roundsSkipped = new Counter({
    name: 'curtail_rounds_skipped_total',
    help: 'Rounds that were skipped because the one before was still under way.',
    labelNames: ['policy'],
    registers: this.registers,
  });
  private readonly round = new Histogram({
    name: 'curtail_round_seconds',
    help: 'Time from when a round was due until it was planned.',
    labelNames: ['policy'],
    buckets: planBuckets,
    registers: this.registers,
  });
  private readonly notices = new Counter({
    name: 'curtail_notices_total',
    help: 'Notices, by code.',
    labelNames: ['code'],
    registers: this.registers,
  });
  private readonly reconciliations = new Counter({
    name: 'curtail_reconciled_total',
    help: 'Differences between desired and actual state that the reconciler corrected, by kind: change, timer, suspension, lease or share.',
    labelNames: ['what'],
    registers: this.registers,
  });
  private readonly sweepFailures = new Counter({
    name: 'curtail_sweep_failures_total',
    help: 'Steps of the sweep of the timer that failed in a partition and are retried, by step: clocks, sizes, leases, counts, or the policy whose rounds were to begin. The partition is empty where the step failed as a whole.',
    labelNames: ['step', 'partition'],
    registers: this.registers,
  });
  private readonly notMet = new Gauge({
    name: 'curtail_quotas_not_met',
    help: 'Queues above their quota without a scheduled enforcement and without a valid reason, by partition.',
    labelNames: ['partition'],
    registers: this.registers,
  });
  private readonly awaitingApproval = new Gauge({
    name: 'curtail_runs_waiting_for_approval',
    help: 'Runs that wait for an operator because of the number of their victims, by partition.',
    labelNames: ['partition'],
    registers: this.registers,
  });
  private readonly ceilings = new Gauge({
    name: 'curtail_ceiling_used_ratio',
    help: 'How far a ceiling of a partition is used, by ceiling: hour, configuration (of the version with most victims whose runs are not over) or cluster. 1 is its limit. Absent where no ceiling is set.',
    labelNames: ['partition', 'ceiling'],
    registers: this.registers,
  });
  private readonly waiting = new Gauge({
    name: 'curtail_waiting',
    help: 'Clocks and runs that wait, by the code of the reason.',
    labelNames: ['reason'],
    registers: this.registers,
  });
  private readonly webhookAttempts = new Counter({
    name: 'curtail_webhook_attempts_total',
    help: 'Attempts to deliver a message to the webhook, by result: delivered, retried (it failed and is repeated) or dead (it was the last).',
    labelNames: ['result'],
    registers: this.registers,
  });
  private readonly webhookMessages = new Gauge({
    name: 'curtail_webhook_pending_messages',
    help: 'Messages to the webhook that are not delivered yet.',
    registers: this.registers,
  });
  private readonly deadLetters = new Counter({
    name: 'curtail_dead_letters_total',
    help: 'Messages that could not be handled and are now dead letters, by consumer.',
    labelNames: ['consumer'],
    registers: this.registers,
  });
  private readonly forgedMessages = new Counter({
    name: 'curtail_forged_messages_total',
    help: 'Forged messages: they are on topics of the log, but not in the log, and have no effect; by consumer and topic.',
    labelNames: ['consumer', 'topic'],
    registers: this.registers,
  });
  private readonly trimmed = new Counter({
    name: 'curtail_trimmed_rows_total',
    help: 'Expired rows that were deleted, by table.',
    labelNames: ['table'],
    registers: this.registers,
  });
  private readonly tableBytes = new Gauge({
    name: 'curtail_table_bytes',
    help: 'Size of tables that grow with time, indexes and partitions included, by table.',
    labelNames: ['table'],
    registers: this.registers,
  });
  private readonly consumerLag = new Gauge({
    name: 'curtail_consumer_lag_events',
    help: 'Events that a consumer has yet to handle.',
    labelNames: ['consumer'],
    registers: this.registers,
  });
  private readonly consumerWaits = new Gauge({
    name: 'curtail_consumer_waits',
    help: 'Partitions of Kafka, or the log, in which a consumer waits for a process of a newer release.',
    labelNames: ['consumer'],
    registers: this.registers,
  });
  private readonly gapsFilled = new Counter({
    name: 'curtail_gaps_filled_total',
    help: 'Events that Kafka lost and that a consumer read from the log instead.',
    labelNames: ['consumer'],
    registers: this.registers,
  });
  private readonly handledPlaceAge = new Gauge({
    name: 'curtail_handled_place_age_seconds',
    help: 'Age of the oldest event in the log that a consumer has not handled; 0: it has handled all.',
    labelNames: ['consumer'],
    registers: this.registers,
  });
  private readonly platformClockSkew = new Gauge({
    name: 'curtail_platform_clock_skew_seconds',
    help: 'Offset of the clock of a platform service from that of the database; negative: behind. Only clocks with a significant offset.',
    labelNames: ['partition', 'source'],
    registers: this.registers,
  });
  private readonly consumerCrashes = new Counter({
    name: 'curtail_consumer_crashes_total',
    help: 'Consumers that lost their group and were recreated.',
    labelNames: ['consumer'],
    registers: this.registers,
  });
  private readonly refusedCommits = new Counter({
    name: 'curtail_refused_commits_total',
    help: 'Offset commits that Kafka rejected.',
    labelNames: ['consumer'],
    registers: this.registers,
  });
  private readonly published = new Counter({
    name: 'curtail_events_published_total',
    help: 'Events of the log that the relay of this process has published.',
    registers: this.registers,
  });
  private readonly leads = new Gauge({
    name: 'curtail_relay_leads',
    help: 'Whether the relay of this process publishes: 1, or 0 while it is on standby.',
    registers: this.registers,
  });
  private readonly unpublished = new Gauge({
    name: 'curtail_relay_behind_events',
    help: 'Events of the log that are not published yet, whichever process publishes; counted up to 100,000.',
    registers: this.registers,
  });
  private readonly inventoryNotices = new Gauge({
    name: 'curtail_inventory_notices',
    help: 'Partitions with problems in the reports of their scheduler, by code.',
    labelNames: ['code'],
    registers: this.registers,
  });
  private readonly inventoryUnknown = new Gauge({
    name: 'curtail_inventory_unknown_partitions',
    help: 'Partitions without planning or evictions because their reports are stale or incomplete.',
    registers: this.registers,
  });
  private readonly inventoryUnread = new Gauge({
    name: 'curtail_inventory_unread_reports',
    help: 'Reports of schedulers on Kafka that are not applied yet.',
    registers: this.registers,
  });
  private readonly agentEvictions = new Counter({
    name: 'curtail_agent_evictions_total',
    help: 'Eviction requests that the agent has answered, by answer; refusals by code.',
    labelNames: ['answer', 'code'],
    registers: this.registers,
  });
  private readonly agentReports = new Counter({
    name: 'curtail_agent_reports_sent_total',
    help: 'Reports that the agent has sent, including pages of listings and confirmations, by event.',
    labelNames: ['event'],
    registers: this.registers,
  });
  private readonly agentPods = new Gauge({
    name: 'curtail_agent_pods',
    help: 'Pods that run or wait, as the agent knows them.',
    registers: this.registers,
  });
  private readonly agentSilence = new Gauge({
    name: 'curtail_agent_watch_silence_seconds',
    help: 'Time since the last event of the watch of the agent that was silent longest; a bookmark arrives about every minute.',
    registers: this.registers,
  });
  private readonly agentLeads = new Gauge({
    name: 'curtail_agent_leads',
    help: 'Whether this agent is active: 1, or 0 while it is on standby for another.',
    registers: this.registers,
  });
  private readonly request = new Histogram({
    name: 'curtail_http_request_seconds',
    help: 'Time to answer a request, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: requestBuckets,
    registers: this.registers,
  });

  /** Timers that are set and not yet due. */
  readonly timersPending = new Gauge({
    name: 'curtail_timers_pending',
    help: 'Pending timers.',
    registers: this.registers,
  });
  /** From the due time to the start of the run, seconds. */
  readonly timerLateness = new Histogram({
    name: 'curtail_timer_lateness_seconds',
    help: 'Time from when a timer was due to the start of its enforcement.',
    buckets: latenessBuckets,
    registers: this.registers,
  });
  /** Reading the snapshot and planning, seconds. */
  readonly planSeconds = new Histogram({
    name: 'curtail_plan_seconds',
    help: 'Time to read a snapshot and make a plan.',
    buckets: planBuckets,
    registers: this.registers,
  });

  constructor() {
    this.collectOfProcess();
  }

  /**
   * The default metrics of prom-client. To measure delays of the event loop it would wake the process a hundred times a second: the share of time
   * in which the loop is busy, which costs nothing, takes their place.
   */
  private collectOfProcess(): void {
    const prefix = 'curtail_';
    const seldomMs = 3_600_000;
    collectDefaultMetrics({ register: this.registry, prefix, eventLoopMonitoringPrecision: seldomMs });
    for (const which of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
      this.registry.removeSingleMetric(`${prefix}nodejs_eventloop_lag_${which}_seconds`);
    let last = performance.eventLoopUtilization();
    new Gauge({
      name: `${prefix}event_loop_utilization`,
      help: 'Share of the time since the last reading in which the event loop was busy, from 0 to 1.',
      registers: this.registers,
      collect() {
        const now = performance.eventLoopUtilization();
        this.set(performance.eventLoopUtilization(now, last).utilization);
        last = now;
      },
    });
  }

  /** Sources that are no longer named have no offset any more. */
  platformClocksAreOff(skews: readonly { partition: string; source: string; seconds: number }[]): void {
    this.platformClockSkew.reset();
    for (const { partition, source, seconds } of skews)
      this.platformClockSkew.set({ partition, source }, seconds);
  }

  enforcementEnded(policy: string, outcome: string): void {
    this.enforcements.inc({ policy, outcome });
  }
  roundPlanned(policy: string, result: 'recorded' | 'unchanged' | 'failed', seconds: number): void {
    this.rounds.inc({ policy, result });
    this.round.observe({ policy }, seconds);
  }
  roundSkipped(policy: string): void {
    this.roundsSkipped.inc({ policy });
  }
  victimEnded(outcome: 'evicted' | 'gone' | 'spared' | 'failed' | 'notified' | 'forgotten'): void {
    this.victims.inc({ outcome });
  }
  preempted(cause: string): void {
    this.preemptions.inc({ cause });
  }
  /** Sets a gauge that a policy defines; the first call registers it. */
  setOwn(
    { name, help, labels }: { name: string; help: string; labels: readonly string[] },
    values: readonly { labels: Readonly<Record<string, string>>; value: number }[],
  ): void {
    let gauge = this.own.get(name);
    if (!gauge) {
      gauge = new Gauge({ name, help, labelNames: labels, registers: this.registers });
      this.own.set(name, gauge);
    }
    for (const { labels, value } of values) gauge.set(labels, value);
  }
  evictionRefused(): void {
    this.evictionsRefused.inc();
  }
  noticeGiven(code: string): void {
    this.notices.inc({ code: this.noticeCodes.of(code) });
  }
  reconciled(what: 'change' | 'timer' | 'suspension' | 'freeze' | 'lease' | 'share', count: number): void {
    this.reconciliations.inc({ what }, count);
  }
  sweepFailed(step: string, partition: string | undefined): void {
    this.sweepFailures.inc({ step, partition: partition === undefined ? '' : this.partitions.of(partition) });
  }
  quotasNotMet(partition: string, queues: number): void {
    this.notMet.set({ partition: this.partitions.of(partition) }, queues);
  }
  runsAwaitApproval(runs: ReadonlyMap<string, number>): void {
    this.awaitingApproval.reset();
    for (const [partition, count] of runs) {
      this.awaitingApproval.set({ partition: this.partitions.of(partition) }, count);
    }
  }
  ceilingsUsed(shares: readonly { partition: string; ceiling: string; share: number }[]): void {
    this.ceilings.reset();
    for (const { partition, ceiling, share } of shares) {
      this.ceilings.set({ partition: this.partitions.of(partition), ceiling }, share);
    }
  }
  waits(counts: ReadonlyMap<string, number>): void {
    this.waiting.reset();
    for (const [reason, count] of counts) this.waiting.set({ reason }, count);
  }
  webhookAttempted(result: 'delivered' | 'retried' | 'dead'): void {
    this.webhookAttempts.inc({ result });
  }
  webhookPending(messages: number): void {
    this.webhookMessages.set(messages);
  }
  deadLetterParked(consumer: string): void {
    this.deadLetters.inc({ consumer: this.consumers.of(consumer) });
  }
  messageForged(consumer: string, topic: string): void {
    this.forgedMessages.inc({ consumer: this.consumers.of(consumer), topic });
  }
  rowsTrimmed(table: string, rows: number): void {
    this.trimmed.inc({ table }, rows);
  }
  tableIsLarge(table: string, bytes: number): void {
    this.tableBytes.set({ table }, bytes);
  }
  consumerIsBehind(consumer: string, behind: { lag: number; ageSeconds: number }): void {
    const labels = { consumer: this.consumers.of(consumer) };
    this.consumerLag.set(labels, behind.lag);
    this.handledPlaceAge.set(labels, behind.ageSeconds);
  }
  gapFilled(consumer: string, events: number): void {
    this.gapsFilled.inc({ consumer: this.consumers.of(consumer) }, events);
  }
  consumerWaitsAt(consumer: string, places: number): void {
    this.consumerWaits.set({ consumer: this.consumers.of(consumer) }, places);
  }
  consumerCrashed(consumer: string): void {
    this.consumerCrashes.inc({ consumer: this.consumers.of(consumer) });
  }
  commitRefused(consumer: string): void {
    this.refusedCommits.inc({ consumer: this.consumers.of(consumer) });
  }
  eventsPublished(events: number): void {
    this.published.inc(events);
  }
  relayIsBehind(events: number): void {
    this.unpublished.set(events);
  }
  relayLeads(leads: boolean): void {
    this.leads.set(leads ? 1 : 0);
  }
  inventoryIs({
    notices,
    unknown,
    unread,
  }: {
    notices: ReadonlyMap<string, number>;
    unknown: number;
    unread: number;
  }): void {
    this.inventoryNotices.reset();
    for (const [code, partitions] of notices) this.inventoryNotices.set({ code }, partitions);
    this.inventoryUnknown.set(unknown);
    this.inventoryUnread.set(unread);
  }
  agentAnswered(answer: string, code = ''): void {
    this.agentEvictions.inc({ answer, code: this.noticeCodes.of(code) });
  }
  agentSent(event: string): void {
    this.agentReports.inc({ event });
  }
  agentKnows({ pods, silentSeconds }: { pods: number; silentSeconds: number }): void {
    this.agentPods.set(pods);
    this.agentSilence.set(silentSeconds);
  }
  agentLeading(leads: boolean): void {
    this.agentLeads.set(leads ? 1 : 0);
  }
  requestAnswered(labels: { method: string; route: string; status: number }, seconds: number): void {
    this.request.observe(labels, seconds);
  }
}
