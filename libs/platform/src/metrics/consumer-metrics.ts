import { Counter, Gauge, type Registry } from 'prom-client';
import { LabelBound } from './label-bound.js';

/** Consumers of events, whichever bus brings them. */
export function consumerMetrics(registers: Registry[]) {
  const consumers = new LabelBound(50);
  const deadLetters = new Counter({
    name: 'curtail_dead_letters_total',
    help: 'Messages that could not be handled and are now dead letters, by consumer.',
    labelNames: ['consumer'],
    registers,
  });
  const forgedMessages = new Counter({
    name: 'curtail_forged_messages_total',
    help: 'Forged messages: on topics of the log, but not in the log, or not of a sender that may send them; they have no effect; by consumer and topic.',
    labelNames: ['consumer', 'topic'],
    registers,
  });
  const lags = new Gauge({
    name: 'curtail_consumer_lag_events',
    help: 'Events that a consumer has yet to handle.',
    labelNames: ['consumer'],
    registers,
  });
  const waits = new Gauge({
    name: 'curtail_consumer_waits',
    help: 'Partitions of Kafka, or the log, in which a consumer waits for a process of a newer release.',
    labelNames: ['consumer'],
    registers,
  });
  const gapsFilled = new Counter({
    name: 'curtail_gaps_filled_total',
    help: 'Events that Kafka lost and that a consumer read from the log instead.',
    labelNames: ['consumer'],
    registers,
  });
  const handledPlaceAge = new Gauge({
    name: 'curtail_handled_place_age_seconds',
    help: 'Age of the oldest event in the log that a consumer has not handled; 0: it has handled all.',
    labelNames: ['consumer'],
    registers,
  });
  const crashes = new Counter({
    name: 'curtail_consumer_crashes_total',
    help: 'Consumers that lost their group and were recreated.',
    labelNames: ['consumer'],
    registers,
  });
  const refusedCommits = new Counter({
    name: 'curtail_refused_commits_total',
    help: 'Offset commits that Kafka rejected.',
    labelNames: ['consumer'],
    registers,
  });
  return {
    deadLetterParked(consumer: string): void {
      deadLetters.inc({ consumer: consumers.of(consumer) });
    },
    messageForged(consumer: string, topic: string): void {
      forgedMessages.inc({ consumer: consumers.of(consumer), topic });
    },
    isBehind(consumer: string, behind: { lag: number; ageSeconds: number }): void {
      const labels = { consumer: consumers.of(consumer) };
      lags.set(labels, behind.lag);
      handledPlaceAge.set(labels, behind.ageSeconds);
    },
    gapFilled(consumer: string, events: number): void {
      gapsFilled.inc({ consumer: consumers.of(consumer) }, events);
    },
    waitsAt(consumer: string, places: number): void {
      waits.set({ consumer: consumers.of(consumer) }, places);
    },
    crashed(consumer: string): void {
      crashes.inc({ consumer: consumers.of(consumer) });
    },
    commitRefused(consumer: string): void {
      refusedCommits.inc({ consumer: consumers.of(consumer) });
    },
  };
}

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
