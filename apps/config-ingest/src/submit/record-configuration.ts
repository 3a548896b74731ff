import { setImmediate as statementsAreSent } from 'node:timers/promises';
import type { DomainEvent } from '#contracts';
import { append, type NewEvent, type StreamAppend, type Tx } from '#event-store';
import {
  type RecordedText,
  type RecordedVersion,
  recordTexts,
  recordVersions,
} from '../history/configuration-history.js';
import { noteQuotaChanges, putInForce, type RecordedQuota, type Replacement } from './configuration-store.js';

/** Events that one statement appends: the server writes them while this process prepares the next. The first piece is small, so that the server starts early. */
const eventsAtOnce = { first: 500, others: 2000 };

/** What decisions on configurations change: a row of each table, and an event of each stream, once. */
export interface DecidedChanges {
  /** One of each stream. */
  appends: readonly StreamAppend[];
  /** One of each queue. */
  quotas: readonly RecordedQuota[];
  /** Those of all versions. */
  texts: readonly RecordedText[];
  /** One of each partition. */
  replacements: readonly Replacement[];
  /** Each is computed while the server writes the events. */
  versions: readonly (() => RecordedVersion)[];
}

/**
 * Records decided configurations in the transaction that decided on them: the events, and the tables that follow from them. The
 * locks of the partitions are held since before the decisions (`lockAndRead`), so the streams are where they were. Each table gets
 * one statement, however many configurations there are.
 *
 * @returns when all statements are sent; `written` resolves when the server has written everything.
 */
export async function recordChanges(
  tx: Tx,
  { appends, quotas, texts, replacements, versions }: DecidedChanges,
): Promise<{ written: Promise<void> }> {
  const statements = new Statements();
  for (const piece of inPieces(appends)) {
    statements.add(append(tx, piece));
    await statementsAreSent();
  }
  statements.add(noteQuotaChanges(tx, quotas));
  statements.add(recordTexts(tx, texts));
  statements.add(putInForce(tx, replacements));
  await statementsAreSent();
  statements.add(
    recordVersions(
      tx,
      versions.map((version) => version()),
    ),
  );
  await statementsAreSent();
  return { written: statements.all() };
}

/** Statements that run in the order in which they are sent. */
class Statements {
  private readonly answers: Promise<void>[] = [];

  add(answer: Promise<void>): void {
    // `all` throws the error.
    answer.catch(() => {});
    this.answers.push(answer);
  }

  /** The error of the first one that failed is the reason: those after it fail because of that. */
  async all(): Promise<void> {
    for (const answer of this.answers) await answer;
  }
}

/** The events of the streams in their order, as many at once as one statement appends. */
function inPieces(appends: readonly StreamAppend[]): StreamAppend[][] {
  const pieces: StreamAppend[][] = [];
  let piece: StreamAppend[] = [];
  let room = eventsAtOnce.first;
  for (const to of appends) {
    for (let from = 0; from < to.events.length; ) {
      const events: NewEvent[] = to.events.slice(from, from + room);
      piece.push({ ...to, expectedVersion: to.expectedVersion + from, events });
      from += events.length;
      room -= events.length;
      if (room > 0) continue;
      pieces.push(piece);
      piece = [];
      room = eventsAtOnce.others;
    }
  }
  return piece.length === 0 ? pieces : [...pieces, piece];
}

export const queueOf = (event: DomainEvent): string =>
  'queue' in event.data ? (event.data.queue ?? '') : '';
