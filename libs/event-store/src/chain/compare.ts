import type { Cursor } from '../stored-event.js';
import type { Block, ChainEntry } from './block.js';
import { hashOfBlock, noHash } from './block.js';
import type { DigestedEvent } from './event-digest.js';

export const faultKinds = [
  'changed',
  'missing',
  'added',
  'reordered',
  'broken-chain',
  'other-checkpoint',
] as const;

/** A place where the log is not as it was recorded. */
export interface LogFault {
  kind: (typeof faultKinds)[number];
  /** The partition of Curtail. */
  partition: string;
  /** Of the event; of a block, of its last event. */
  position: string;
  /** What is wrong, as a sentence without its full stop. */
  message: string;
  /** The digests of an event, in hexadecimal: recorded in the chain, and of the row that is there. */
  recorded?: string;
  found?: string;
}

const isSamePlace = (a: Cursor, b: Cursor) =>
  a.transactionId === b.transactionId && a.position === b.position;

/**
 * Compares the events of a stretch of the log with the entries of its blocks.
 *
 * @param isElsewhere whether an entry need not be here: it is in an archive.
 */
export function compareEvents(
  expected: ReadonlyMap<string, readonly ChainEntry[]>,
  events: readonly DigestedEvent[],
  isElsewhere: (entry: ChainEntry) => boolean,
): LogFault[] {
  const faults: LogFault[] = [];
  const found = new Map<string, DigestedEvent>();
  for (const event of events) {
    if (!found.has(event.position)) found.set(event.position, event);
    else faults.push(added(event, 'a second event has this position'));
  }
  for (const [partition, entries] of expected) {
    for (const entry of entries) {
      const event = found.get(entry.position);
      if (event?.partition === partition) {
        found.delete(entry.position);
        const fault = faultOf(partition, entry, event);
        if (fault) faults.push(fault);
      } else if (event) {
        // Its partition is part of its digest.
        found.delete(entry.position);
        faults.push(changed(partition, entry, event));
      } else if (!isElsewhere(entry)) {
        faults.push({
          kind: 'missing',
          partition,
          position: entry.position,
          message: `the event at position ${entry.position} is missing`,
          recorded: entry.digest.toString('hex'),
        });
      }
    }
  }
  for (const event of found.values()) {
    faults.push(added(event, `the event at position ${event.position} was added later`));
  }
  return faults.sort((a, b) => (BigInt(a.position) < BigInt(b.position) ? -1 : 1));
}

function faultOf(partition: string, entry: ChainEntry, event: DigestedEvent): LogFault | undefined {
  if (!entry.digest.equals(event.digest)) return changed(partition, entry, event);
  if (isSamePlace(entry, event)) return undefined;
  return {
    kind: 'reordered',
    partition,
    position: entry.position,
    message: `the event at position ${entry.position} was moved: its transaction is ${event.transactionId}, but ${entry.transactionId} was recorded`,
    recorded: entry.digest.toString('hex'),
    found: event.digest.toString('hex'),
  };
}

const changed = (partition: string, entry: ChainEntry, event: DigestedEvent): LogFault => ({
  kind: 'changed',
  partition,
  position: entry.position,
  message: `the event at position ${entry.position} was changed`,
  recorded: entry.digest.toString('hex'),
  found: event.digest.toString('hex'),
});

const added = (event: DigestedEvent, message: string): LogFault => ({
  kind: 'added',
  partition: event.partition,
  position: event.position,
  message,
  found: event.digest.toString('hex'),
});

/**
 * Joins what belongs together: an event that is missing in one place and is there in another was moved, and so were two that are found in
 * each other's place.
 */
export function withMoves(faults: readonly LogFault[]): LogFault[] {
  const recordedAt = new Map(
    faults.flatMap((fault) => (fault.recorded === undefined ? [] : [[fault.recorded, fault] as const])),
  );
  const moved = new Map<LogFault, LogFault>();
  for (const fault of faults) {
    const from = fault.found === undefined ? undefined : recordedAt.get(fault.found);
    if (from && from !== fault && fault.found !== fault.recorded) moved.set(fault, from);
  }
  const left = new Set([...moved.values()].filter(({ kind }) => kind === 'missing'));
  return faults
    .filter((fault) => !left.has(fault))
    .map((fault) => {
      const from = moved.get(fault);
      if (!from) return fault;
      const message =
        from.position === fault.position
          ? `the event at position ${fault.position} was moved to another place in the order of commits`
          : `the event at position ${fault.position} was recorded at position ${from.position}`;
      return { ...fault, kind: 'reordered' as const, message };
    });
}

/** Follows the chains of all partitions: each block has the next number, and a hash over the one before. */
export class Chains {
  private readonly last = new Map<string, Pick<Block, 'block' | 'hash'>>();

  /** @param knowsBeginning false: the first block of a partition that is met may have any number; it cannot be checked further back. */
  constructor(private readonly knowsBeginning: boolean) {}

  /** The head of a chain that is continued. */
  continueAt(partition: string, block: number, hash: Buffer): void {
    this.last.set(partition, { block, hash });
  }

  follow(block: Block): LogFault[] {
    const { partition } = block;
    const before = this.last.get(partition);
    this.last.set(partition, { block: block.block, hash: block.hash });
    const isFirst = before === undefined;
    if (isFirst && !this.knowsBeginning && block.block > 1) return [];
    const number = (before?.block ?? 0) + 1;
    if (block.block !== number) {
      const missing = block.block > number;
      return [
        brokenAt(
          block,
          missing
            ? `${blocks(number, block.block - 1)} missing in the chain before it`
            : `block ${block.block} of the chain is there twice`,
        ),
      ];
    }
    if (hashOfBlock(block, before?.hash ?? noHash).equals(block.hash)) return [];
    return [
      brokenAt(
        block,
        `block ${block.block} of the chain does not have the hash of its content and of the block before it`,
      ),
    ];
  }
}

const blocks = (from: number, to: number) =>
  from === to ? `block ${from} is` : `blocks ${from} to ${to} are`;

export const brokenAt = (
  { partition, through }: Pick<Block, 'partition' | 'through'>,
  message: string,
): LogFault => ({
  kind: 'broken-chain',
  partition,
  position: through.position,
  message,
});
