import { z } from 'zod';

/** A pseudorandom generator with reproducible numbers for a seed (mulberry32). Not for secrets. */
export class SeededRandom {
  constructor(private state: number) {}

  /** A whole number from 0 to 2^32 - 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number {
    return Math.floor((this.next() / 2 ** 32) * bound);
  }

  uuid(): string {
    const hex = [1, 2, 3, 4].map(() => this.next().toString(16).padStart(8, '0')).join('');
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `a${hex.slice(17, 20)}`,
      hex.slice(20),
    ].join('-');
  }
}

const seconds = z.number().min(0).max(86_400);

/** Fields of a simulated allocation that set how it answers evictions. docs/reference/scenarios.md */
export const behaviorFields = {
  leavesAfterSeconds: z
    .union([seconds, z.strictObject({ from: seconds, to: seconds }).refine(({ from, to }) => from <= to)], {
      error: () => 'is not a time to leave: write seconds from 0 to 86400, or {from: 20, to: 60}',
    })
    .optional()
    .describe(
      'Seconds from the eviction until it is gone, in place of the grace period; `from` and `to`: drawn evenly for each.',
    ),
  refuses: z
    .union([z.number().int().min(1).max(1000), z.literal('always')], {
      error: () => 'is not a number of refusals: write a whole number from 1 to 1000, or always',
    })
    .optional()
    .describe('How many evictions it refuses before it leaves; `always`: every one.'),
  refusalReason: z.string().trim().min(1).max(500).optional().describe('The sentence of its refusals.'),
};

/** How an allocation answers evictions, as it is kept; fields that are absent stand for the usual answer. */
export interface Behavior {
  leavesAfterSeconds?: number;
  refuses?: number | 'always';
  reason?: string;
}

type Wanted = { [name in keyof typeof behaviorFields]?: z.output<(typeof behaviorFields)[name]> };

/** The behavior of one allocation; undefined where it is the usual one. A range takes one draw. */
export function drawBehavior(
  { leavesAfterSeconds: leaves, refuses, refusalReason }: Wanted,
  random: SeededRandom,
): Behavior | undefined {
  if (leaves === undefined && refuses === undefined) return undefined;
  return {
    ...(leaves === undefined
      ? {}
      : { leavesAfterSeconds: typeof leaves === 'number' ? leaves : drawn(leaves, random) }),
    ...(refuses === undefined ? {} : { refuses }),
    ...(refuses === undefined || refusalReason === undefined ? {} : { reason: refusalReason }),
  };
}

/** To the millisecond. */
const drawn = ({ from, to }: { from: number; to: number }, random: SeededRandom) =>
  Math.round((from + (to - from) * (random.next() / 2 ** 32)) * 1000) / 1000;
