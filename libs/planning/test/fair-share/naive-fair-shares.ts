import {
  compare,
  divided,
  type Fraction,
  fraction,
  greatest,
  least,
  minus,
  ONE,
  plus,
  sum,
  times,
  ZERO,
} from './fraction.js';

/** An element with its shares by type, and what stands below a pool. */
export interface NaiveElement {
  readonly name: string;
  readonly weight: Fraction;
  readonly usage: readonly Fraction[];
  readonly demand: readonly Fraction[];
  readonly limits: readonly Fraction[];
  readonly guarantee: readonly Fraction[];
  /** All or nothing: a gang under the step function. */
  readonly steps?: boolean;
  readonly fifo?: boolean;
  /** Of a pool, in the order of a fifo pool. */
  readonly children?: readonly NaiveElement[];
}

/** Values by type. */
type Values = readonly Fraction[];

/**
 * A function as docs/reference/policies/fair-share.md §6 writes it: its value anywhere, and the places outside of which it is linear. No
 * part of it is kept in another form, so it is slow, and exact.
 */
interface Piecewise {
  readonly at: (x: Fraction) => Values;
  /** Ascending, from the first place of the function to its last. */
  readonly places: readonly Fraction[];
}

/** A stretch between two places, without them: the function is linear there. */
interface Stretch {
  readonly from: Fraction;
  readonly to: Fraction;
  readonly start: Fraction;
  readonly end: Fraction;
}

/** The fair share of every element by name and type. */
export function naiveFairShares(root: NaiveElement): Map<string, Values> {
  const shares = new Map<string, Values>();
  handDown(root, ONE, shares);
  return shares;
}

function handDown(element: NaiveElement, growth: Fraction, shares: Map<string, Values>): void {
  const fit = maximalFit(element, growth);
  if (element.children === undefined) {
    shares.set(element.name, fitFunction(element).at(fit));
    return;
  }
  element.children.forEach((child, i) => {
    handDown(child, growthOfChild(element, child, i, fit), shares);
  });
  const none = element.usage.map(() => ZERO);
  shares.set(
    element.name,
    none.map((_, type) => sum(element.children!.map((child) => shares.get(child.name)![type]!))),
  );
}

function growthOfChild(pool: NaiveElement, child: NaiveElement, place: number, fit: Fraction): Fraction {
  if (pool.fifo) return least(ONE, greatest(ZERO, minus(fit, fraction(place))));
  const slowest = least(...pool.children!.map(({ weight }) => weight));
  return least(ONE, divided(times(fit, child.weight), slowest));
}

const known = new WeakMap<NaiveElement, { fit?: Piecewise; growth?: Piecewise }>();

/** FF(f) */
function fitFunction(element: NaiveElement): Piecewise {
  const found = known.get(element) ?? {};
  known.set(element, found);
  found.fit ??= element.children === undefined ? ofOperation(element) : ofPool(element, element.children);
  return found.fit;
}

function ofOperation({ usage, demand, steps }: NaiveElement): Piecewise {
  const two = fraction(2);
  const most = greatest(...usage);
  const kinks = compare(most, ZERO) > 0 ? usage.map((share) => divided(share, most)) : [];
  return {
    places: ascending([ZERO, ...kinks, ONE, two]),
    at: (f) => {
      const first = compare(f, ONE) <= 0;
      if (steps) return first ? usage.map(() => ZERO) : demand;
      if (first) return usage.map((share) => least(share, times(f, most)));
      return usage.map((share, type) => plus(share, times(minus(f, ONE), minus(demand[type]!, share))));
    },
  };
}

function ofPool(pool: NaiveElement, children: readonly NaiveElement[]): Piecewise {
  const end = fraction(pool.fifo ? children.length : 1);
  const slowest = children.length === 0 ? ONE : least(...children.map(({ weight }) => weight));
  const places = children.flatMap((child, i) =>
    growthFunction(child).places.map((s) =>
      pool.fifo ? plus(fraction(i), s) : divided(times(s, slowest), child.weight),
    ),
  );
  return {
    places: ascending([ZERO, ...places.filter((place) => compare(place, end) <= 0), end]),
    at: (f) => {
      const values = children.map((child, i) => growthFunction(child).at(growthOfChild(pool, child, i, f)));
      return pool.usage.map((_, type) => sum(values.map((value) => value[type]!)));
    },
  };
}

/** FS(s) */
function growthFunction(element: NaiveElement): Piecewise {
  const found = known.get(element) ?? {};
  known.set(element, found);
  found.growth ??= {
    places: growthPlaces(element),
    at: remembered((s) => fitFunction(element).at(maximalFit(element, s))),
  };
  return found.growth;
}

function remembered(at: (x: Fraction) => Values): (x: Fraction) => Values {
  const values = new Map<string, Values>();
  return (x) => {
    const key = `${x.over}/${x.under}`;
    const value = values.get(key) ?? at(x);
    values.set(key, value);
    return value;
  };
}

/** MF(s) */
function maximalFit(element: NaiveElement, s: Fraction): Fraction {
  return least(...element.usage.map((_, type) => maximalFitOf(element, type, s)));
}

/** h(s) of one type */
function maximalFitOf(element: NaiveElement, type: number, s: Fraction): Fraction {
  const { limit, guarantee } = boundsOf(element, type);
  const fit = fitFunction(element);
  if (compare(s, ZERO) === 0) return lastNotAbove(fit, type, guarantee);
  if (compare(s, minus(limit, guarantee)) > 0) return lastNotAbove(fit, type, limit);
  return firstNotBelow(fit, type, plus(guarantee, s));
}

function boundsOf(element: NaiveElement, type: number): { limit: Fraction; guarantee: Fraction } {
  const { at, places } = fitFunction(element);
  const start = at(places[0]!)[type]!;
  const end = at(places.at(-1)!)[type]!;
  const limit = least(greatest(element.limits[type]!, start), end);
  return { limit, guarantee: least(greatest(element.guarantee[type]!, start), limit) };
}

/** sup {f : g(f) ≤ y} */
function lastNotAbove(fit: Piecewise, type: number, y: Fraction): Fraction {
  let last = fit.places[0]!;
  for (const stretch of stretchesOf(fit, type)) {
    if (compare(fit.at(stretch.from)[type]!, y) > 0) return stretch.from;
    // Just behind a jump it may be above already.
    if (compare(stretch.start, y) > 0) return stretch.from;
    if (compare(stretch.end, y) > 0) return placeOf(stretch, y);
    last = stretch.to;
  }
  return last;
}

/** inf {f : g(f) ≥ y} */
function firstNotBelow(fit: Piecewise, type: number, y: Fraction): Fraction {
  for (const stretch of stretchesOf(fit, type)) {
    if (compare(fit.at(stretch.from)[type]!, y) >= 0 || compare(stretch.start, y) >= 0) return stretch.from;
    if (compare(stretch.end, y) >= 0) return placeOf(stretch, y);
  }
  return fit.places.at(-1)!;
}

function placeOf({ from, to, start, end }: Stretch, y: Fraction): Fraction {
  return plus(from, times(minus(to, from), divided(minus(y, start), minus(end, start))));
}

function stretchesOf({ at, places }: Piecewise, type: number): Stretch[] {
  return places.slice(1).map((to, i) => {
    const from = places[i]!;
    const third = divided(minus(to, from), fraction(3));
    const a = at(plus(from, third))[type]!;
    const b = at(minus(to, third))[type]!;
    const step = minus(b, a);
    return { from, to, start: minus(a, step), end: plus(b, step) };
  });
}

/** All growths where FS may bend or jump: where any h does, and where one h passes another one. */
function growthPlaces(element: NaiveElement): Fraction[] {
  const fit = fitFunction(element);
  const bends = element.usage.flatMap((_, type) => {
    const { limit, guarantee } = boundsOf(element, type);
    const heights = stretchesOf(fit, type).flatMap(({ from, to, start, end }) => [
      fit.at(from)[type]!,
      start,
      end,
      fit.at(to)[type]!,
    ]);
    return [minus(limit, guarantee), ...heights.map((height) => minus(height, guarantee))];
  });
  const inside = (places: Fraction[]): Fraction[] =>
    ascending([ZERO, ...places.filter((s) => compare(s, ZERO) > 0 && compare(s, ONE) < 0), ONE]);
  const first = inside(bends);
  const types = element.usage.map((_, type) => type);
  const crossings = first.slice(1).flatMap((to, i) => {
    const from = first[i]!;
    const third = divided(minus(to, from), fraction(3));
    const lines = types.map((type) => {
      const a = maximalFitOf(element, type, plus(from, third));
      const step = minus(maximalFitOf(element, type, minus(to, third)), a);
      return { start: minus(a, step), slope: times(step, fraction(3)) };
    });
    return lines.flatMap((line, a) =>
      lines.slice(a + 1).flatMap((other) => {
        const faster = minus(other.slope, line.slope);
        if (compare(faster, ZERO) === 0) return [];
        const part = divided(minus(line.start, other.start), faster);
        if (compare(part, ZERO) <= 0 || compare(part, ONE) >= 0) return [];
        return [plus(from, times(part, minus(to, from)))];
      }),
    );
  });
  const bent = inside([...first, ...crossings]);
  // FS also bends where FF does: the growths at which MF passes a place of FF.
  const passes = bent.slice(1).flatMap((to, i) => {
    const from = bent[i]!;
    const third = divided(minus(to, from), fraction(3));
    const a = maximalFit(element, plus(from, third));
    const step = minus(maximalFit(element, minus(to, third)), a);
    if (compare(step, ZERO) === 0) return [];
    const start = minus(a, step);
    return fit.places.flatMap((place) => {
      const part = divided(minus(place, start), times(step, fraction(3)));
      if (compare(part, ZERO) <= 0 || compare(part, ONE) >= 0) return [];
      return [plus(from, times(part, minus(to, from)))];
    });
  });
  return inside([...bent, ...passes]);
}

function ascending(places: Fraction[]): Fraction[] {
  const sorted = [...places].sort(compare);
  return sorted.filter((place, i) => i === 0 || compare(place, sorted[i - 1]!) !== 0);
}
