import { type Fraction, fractionOfNumber, partOf, sumOfFractions, wholeFraction } from '#contracts';
import { type AmountTable, asAmount, ceilDivide, dividedUp, type TypeAmounts, timesDown } from './amounts.js';
import type { Arithmetic } from './arithmetic.js';
import type { InQueueRound } from './round.js';

/**
 * The amount that each user of a queue may use of it, by user: docs/reference/policies/intra-queue.md §4.
 *
 * @param names of the users.
 * @param used a row for each user.
 */
export function userLimits(
  round: InQueueRound,
  queue: number,
  guaranteed: TypeAmounts,
  names: readonly string[],
  used: AmountTable,
): TypeAmounts[] {
  const { arithmetic, properties } = round;
  const { userResourceLimit, userResourceLimits } = properties.of(queue);
  const weights = properties.weights(queue, names);
  const asGiven =
    userResourceLimits.size === 0
      ? names.map(() => userResourceLimit)
      : names.map((name) => userResourceLimits.get(name) ?? userResourceLimit);
  // Not worked out where all limits are given.
  const computed = asGiven.includes(undefined) ? limitOf(round, queue, guaranteed, used, weights) : null;
  return asGiven.map((given, user) => {
    if (given !== undefined) return arithmetic.amountsOf(given);
    if (weights[user] === 1) return computed!;
    const weight = fractionOfNumber(weights[user]!);
    return computed!.map((amount, place) => roundedDown(timesDown(amount, weight), round.step[place]!));
  });
}

function limitOf(
  round: InQueueRound,
  queue: number,
  guaranteed: TypeAmounts,
  used: AmountTable,
  weights: readonly number[],
): TypeAmounts {
  const { arithmetic, step } = round;
  const own = round.properties.of(queue);
  const base0 = arithmetic.max(guaranteed, step);
  const consumed = consumedOf(arithmetic, used).map((amount, place) => {
    const whole = BigInt(step[place]!);
    return ceilDivide(amount, whole) * whole;
  });
  // The shared amount may pass 2^53 where its parts do not.
  const base =
    arithmetic.compare(Float64Array.from(consumed, asAmount), base0) < 0
      ? Array.from(base0, BigInt)
      : consumed.map((amount, place) => amount + BigInt(step[place]!));

  const sum = sumOfWeights(weights);
  const divisor = sum.numerator === 0n ? wholeFraction : sum;
  const share = Float64Array.from(base, (amount) => dividedUp(amount, divisor));
  const percent = own.minimumUserLimitPercent ?? 100;
  const floor = percentOf(base, fractionOfNumber(percent));
  const limit = arithmetic.min(arithmetic.max(share, floor), capOf(round, queue, guaranteed, base0));
  return stepsUp(limit, step);
}

/** The most that one user may have of the queue, before its weight. */
function capOf(round: InQueueRound, queue: number, guaranteed: TypeAmounts, base0: TypeAmounts): TypeAmounts {
  const factor = round.properties.of(queue).userLimitFactor ?? 1;
  if (factor === -1 || !round.arithmetic.isAboveZero(guaranteed)) {
    return round.limits(round.snapshot.queues.max, queue, round.arithmetic.cluster);
  }
  if (factor === 1) return base0;
  const times = fractionOfNumber(factor);
  return base0.map((amount) => timesDown(amount, times));
}

function sumOfWeights(weights: readonly number[]): Fraction {
  if (weights.every((weight) => weight === 1)) return { numerator: BigInt(weights.length), denominator: 1n };
  return sumOfFractions(weights.map(fractionOfNumber));
}

/** All that is used; with several types what the largest shares of the users come to, of each type of the cluster. */
function consumedOf(arithmetic: Arithmetic, used: AmountTable): bigint[] {
  // By the type that is the largest share of a user: shares of one type have one denominator. What is used of a type in a queue
  // stays below 2^53, so the sums are exact.
  const sums = arithmetic.zero.slice();
  for (let at = 0; at < used.length; at += arithmetic.width) {
    const place = arithmetic.placeOfLargest(used, at);
    if (place >= 0) sums[place]! += used[at + place]!;
  }
  if (!arithmetic.isDominant) return Array.from(sums, BigInt);
  let numerator = 0n;
  let denominator = 1n;
  sums.forEach((sum, place) => {
    if (sum === 0) return;
    const whole = BigInt(arithmetic.cluster[place]!);
    numerator = numerator * whole + BigInt(sum) * denominator;
    denominator *= whole;
  });
  return Array.from(arithmetic.cluster, (amount) => ceilDivide(BigInt(amount) * numerator, denominator));
}

/** ceil(floor(amount × percent) / 100) of each amount */
function percentOf(amounts: readonly bigint[], percent: Fraction): TypeAmounts {
  return Float64Array.from(amounts, (amount) => asAmount(ceilDivide(partOf(amount, percent), 100n)));
}

function stepsUp(amounts: TypeAmounts, step: TypeAmounts): TypeAmounts {
  return amounts.map((amount, place) => {
    const whole = amount - (amount % step[place]!);
    return Math.min(Number.MAX_SAFE_INTEGER, whole === amount ? whole : whole + step[place]!);
  });
}

function roundedDown(amount: number, step: number): number {
  return amount - (amount % step);
}
