import { type DomainEvent } from '#contracts';
import { catalog } from '#contracts/events';
import { Chance } from '../chance.js';
import { type PlannedCase, plannedCases } from './cases.js';
import { partition, type StreamEvent, scenario } from './scenario.js';

/** A row of the log but for its place in it. */
export interface LogRow {
  stream: string;
  version: number;
  id: string;
  type: string;
  topic: string;
  partition: string;
  key: string;
  time: string;
  data: DomainEvent['data'];
}

export interface GeneratedLog {
  cases: PlannedCase[];
  /** Exactly so many as were asked for; the last scenarios stay without their end. */
  rows: Generator<LogRow, void, void>;
}

/** Runs in progress at the same time. */
const atOnce = 60;
/** More queues than runs at once: no queue has two of them. */
const queues = 400;
const begin = Date.UTC(2026, 10, 21);
const stepMs = 20;

/**
 * A log as a busy month leaves one: some 60 runs at a time of 400 queues, with plans that were really made, their evictions,
 * refusals, approvals, cancelled clocks and failures. The same seed gives the same log, ids included.
 */
export async function generateLog(events: number, seed = 1): Promise<GeneratedLog> {
  const chance = new Chance(seed);
  const cases = await plannedCases(chance, queues);
  return { cases, rows: rowsOf(chance, cases, events) };
}

function* rowsOf(chance: Chance, cases: PlannedCase[], events: number): Generator<LogRow, void, void> {
  const versions = new Map<string, number>();
  let written = 0;
  let scenarios = 0;
  const now = () => new Date(begin + written * stepMs);
  const next = () => scenario(chance, scenarios, cases[scenarios++ % cases.length]!, now);
  const going = Array.from({ length: atOnce }, next);
  while (written < events) {
    const which = chance.below(going.length);
    const { value, done } = going[which]!.next();
    if (done) {
      going[which] = next();
      continue;
    }
    yield row(value, versions, chance.uuid(), now());
    written++;
  }
}

function row(given: StreamEvent, versions: Map<string, number>, id: string, at: Date): LogRow {
  const { stream, key, event } = given;
  const version = (versions.get(stream) ?? 0) + 1;
  versions.set(stream, version);
  const { type, topic } = catalog[event.name];
  return {
    ...{ stream, version, id, type, topic, partition, key },
    time: at.toISOString(),
    data: event.data,
  };
}
