import type { ReadFairShareSettings } from '#contracts';
import { Points } from './curves.js';
import { Growth } from './growth.js';
import type { FairShareSnapshot } from './snapshot/columns.js';
import { Sum } from './sum.js';
import { SAME_POINT } from './tolerance.js';

/** The tables that the fair shares are made from, by element and type. */
export interface ShareTables {
  readonly usage: Float64Array;
  readonly demand: Float64Array;
  readonly limits: Float64Array;
  readonly guarantee: Float64Array;
}

/**
 * The fair share of every element by type: docs/reference/policies/fair-share.md §6. From the operations up, each element's function of
 * growth is made from those of its children; then growth is handed down from the root.
 */
export function fairShares(
  snapshot: FairShareSnapshot,
  settings: Pick<ReadFairShareSettings, 'enableStepFunctionForGangOperations'>,
  tables: ShareTables,
  places: Int32Array,
): Float64Array {
  const { elements, pools, operations, types } = snapshot;
  const width = types.length;
  // The functions of all elements, one behind the other.
  const functions = new Points(width, elements.count * 13);
  const first = new Int32Array(elements.count);
  const end = new Int32Array(elements.count);
  const growth = new Growth(width);
  const growthOf = (element: number, from: Points, start: number, stop: number): void => {
    first[element] = functions.count;
    growth.grow(from, start, stop, tables.limits, tables.guarantee, element * width, functions);
    end[element] = functions.count;
  };

  const own = new Points(width, 16 + 2 * width);
  for (let operation = 0; operation < operations.count; operation++) {
    const element = pools.count + operation;
    const steps = operations.gang[operation] === 1 && settings.enableStepFunctionForGangOperations;
    own.count = 0;
    if (steps) stepOf(tables.demand, element, own);
    else needOf(tables.usage, tables.demand, element, own);
    growthOf(element, own, 0, own.count);
  }
  const sum = new Sum(width, elements.count * 2);
  const queue = new Points(width, 256);
  const members = new Int32Array(elements.children.length);
  for (let pool = pools.count - 1; pool >= 0; pool--) {
    const children = elements.children.subarray(elements.firstChild[pool]!, elements.firstChild[pool + 1]!);
    let points: Points;
    if (pools.fifo[pool] === 1) {
      points = queue;
      const inOrder = members.subarray(0, children.length);
      for (const child of children) inOrder[places[child - pools.count]!] = child;
      oneAfterTheOther(inOrder, functions, first, end, points);
    } else {
      points = together(children, elements.weight, functions, first, end, sum);
    }
    growthOf(pool, points, 0, points.count);
  }
  return handDown(snapshot, places, functions, first, end);
}

/** FF of an operation: first what it uses, then what it waits for. */
function needOf(usage: Float64Array, demand: Float64Array, element: number, out: Points): void {
  const { width, x, y } = out;
  const row = element * width;
  let most = 0;
  for (let type = 0; type < width; type++) most = Math.max(most, usage[row + type]!);
  let at = 0;
  for (let place = 0; most > 0 && place < 1; at++) {
    x[at] = place;
    for (let type = 0; type < width; type++)
      y[at * width + type] = Math.min(usage[row + type]!, place * most);
    // The next type that is used up, in the order of their parts of the greatest.
    let next = 1;
    for (let type = 0; type < width; type++) {
      const part = usage[row + type]! / most;
      if (part > place && part < next) next = part;
    }
    place = next;
  }
  if (at === 0) {
    x[at] = 0;
    y.fill(0, 0, width);
    at++;
  }
  x[at] = 1;
  x[at + 1] = 2;
  for (let type = 0; type < width; type++) {
    y[at * width + type] = usage[row + type]!;
    y[(at + 1) * width + type] = demand[row + type]!;
  }
  out.count = at + 2;
}

/** FF of a gang under the step function: all or nothing. */
function stepOf(demand: Float64Array, element: number, out: Points): void {
  const { width } = out;
  for (const [place, part] of [
    [0, 0],
    [1, 0],
    [1, 1],
    [2, 1],
  ] as const) {
    out.x[out.count] = place;
    for (let type = 0; type < width; type++) {
      out.y[out.count * width + type] = part === 0 ? 0 : demand[element * width + type]!;
    }
    out.count++;
  }
}

/** FF of a pool whose children grow together, each at the speed of its weight. */
function together(
  children: Int32Array,
  weight: Float64Array,
  functions: Points,
  first: Int32Array,
  end: Int32Array,
  sum: Sum,
): Points {
  const slowest = smallest(children, weight);
  sum.clear();
  for (const child of children) {
    if (isNothing(functions, end[child]! - 1)) continue;
    sum.add(functions, first[child]!, end[child]!, slowest / weight[child]!);
  }
  const points = sum.sum();
  if (points.count === 0) addPoint(points, 0, null);
  if (points.x[points.count - 1]! < 1 - SAME_POINT) addPoint(points, 1, points.count - 1);
  return points;
}

function smallest(children: Int32Array, weight: Float64Array): number {
  let least = Number.POSITIVE_INFINITY;
  for (const child of children) least = Math.min(least, weight[child]!);
  return least;
}

/** A function that ends with nothing never had anything. */
function isNothing({ y, width }: Points, last: number): boolean {
  for (let type = 0; type < width; type++) if (y[last * width + type]! > 0) return false;
  return true;
}

/** One more point with the value of another one, or with nothing. */
function addPoint(points: Points, place: number, like: number | null): void {
  points.reserve(1);
  const { width, y, count } = points;
  points.x[count] = place;
  for (let type = 0; type < width; type++) {
    y[count * width + type] = like === null ? 0 : y[like * width + type]!;
  }
  points.count++;
}

/** FF of a fifo pool: the first operation in its order grows as far as it can, then the next one. */
function oneAfterTheOther(
  inOrder: Int32Array,
  functions: Points,
  first: Int32Array,
  end: Int32Array,
  out: Points,
): void {
  const { width } = out;
  const before = new Float64Array(width);
  const full = new Float64Array(width);
  out.count = 0;
  addPoint(out, 0, null);
  inOrder.forEach((operation, place) => {
    functions.read(1, first[operation]!, end[operation]!, full, 0);
    if (full.some((share) => share > 0)) {
      out.reserve(end[operation]! - first[operation]! + 1);
      for (let point = first[operation]!; point < end[operation]!; point++) {
        // An amount that is reached at full growth only comes with the end of the turn, from the left.
        if (functions.x[point]! >= 1 - SAME_POINT) break;
        out.x[out.count] = place + functions.x[point]!;
        for (let type = 0; type < width; type++) {
          out.y[out.count * width + type] = before[type]! + functions.y[point * width + type]!;
        }
        out.count++;
      }
      for (let type = 0; type < width; type++) before[type]! += full[type]!;
    }
    out.reserve(1);
    out.x[out.count] = place + 1;
    out.y.set(before, out.count * width);
    out.count++;
  });
}

/** Growth from the root down to the operations; pools get what their children get. */
function handDown(
  { elements, pools, types }: FairShareSnapshot,
  places: Int32Array,
  functions: Points,
  first: Int32Array,
  end: Int32Array,
): Float64Array {
  const width = types.length;
  const fair = new Float64Array(elements.count * width);
  const growth = new Float64Array(elements.count);
  growth[0] = 1;
  for (let pool = 0; pool < pools.count; pool++) {
    const fit = functions.read(growth[pool]!, first[pool]!, end[pool]!, fair, pool * width);
    const children = elements.children.subarray(elements.firstChild[pool]!, elements.firstChild[pool + 1]!);
    const slowest = smallest(children, elements.weight);
    for (const child of children) {
      growth[child] =
        pools.fifo[pool] === 1
          ? Math.min(1, Math.max(0, fit - places[child - pools.count]!))
          : Math.min(1, (fit * elements.weight[child]!) / slowest);
    }
  }
  fair.fill(0, 0, pools.count * width);
  for (let element = elements.count - 1; element > 0; element--) {
    const row = element * width;
    if (element >= pools.count) functions.read(growth[element]!, first[element]!, end[element]!, fair, row);
    const above = elements.parent[element]! * width;
    for (let type = 0; type < width; type++) fair[above + type]! += fair[row + type]!;
  }
  return fair;
}
