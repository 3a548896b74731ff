import type { Points } from './curves.js';
import { SAME_POINT } from './tolerance.js';

/**
 * Makes the function FS of an element from its function FF: docs/reference/policies/fair-share.md §6. FF gives the share by fit factor,
 * FS by growth beyond the guarantee, and FS(s) = FF(MF(s)), with MF the greatest fit factor for a growth.
 *
 * With S(f) the greatest of what FF(f) is above the guarantee in any type, MF is the inverse of S, as far as no type passes
 * its limit. So FS is the curve of the points (S(f), FF(f)), and each of them keeps its f. Where S stays while FF grows in
 * other types FS jumps; where FF jumps S does too, and FS waits at the value from the left until its growth is reached.
 */
export class Growth {
  private readonly limit: Float64Array;
  private readonly guarantee: Float64Array;
  /** Where on FF the way along it is: the place, the value, the growth. */
  private place = 0;
  private readonly value: Float64Array;
  private growth = 0;
  /** How much each type gains up to the next point. */
  private readonly gain: Float64Array;
  private firstWritten = 0;
  /** The last point of FF that is reached. */
  private last = 0;

  constructor(private readonly width: number) {
    this.limit = new Float64Array(width);
    this.guarantee = new Float64Array(width);
    this.value = new Float64Array(width);
    this.gain = new Float64Array(width);
  }

  /**
   * @param first FF is the points of `from` from here to before `end`; it has a point at the end of its fit factors.
   * @param row of the element in the tables of shares.
   * @param out gets the points of FS.
   */
  grow(
    from: Points,
    first: number,
    end: number,
    limitsShare: Float64Array,
    guaranteeShare: Float64Array,
    row: number,
    out: Points,
  ): void {
    const { width, value } = this;
    const last = reachableEnd(from, first, end);
    for (let type = 0; type < width; type++) {
      const least = from.y[first * width + type]!;
      const most = from.y[last * width + type]!;
      this.limit[type] = Math.min(Math.max(limitsShare[row + type]!, least), most);
      this.guarantee[type] = Math.min(Math.max(guaranteeShare[row + type]!, least), this.limit[type]!);
      value[type] = least;
    }
    this.place = from.x[first]!;
    this.growth = 0;
    this.firstWritten = out.count;
    this.last = last;

    let started = false;
    for (let next = first + 1; next <= last; next++) {
      const jumps = from.x[next]! - this.place <= SAME_POINT;
      if (!started) {
        const part = this.partWithinGuarantee(from, next, jumps);
        this.moveTo(from, next, part, jumps);
        if (part === 1) continue;
        started = true;
        this.write(out);
      }
      if (jumps ? !this.jump(from, next, out) : !this.walk(from, next, out)) return;
    }
    if (!started) this.write(out);
  }

  /** How much of the way to the next point all types stay inside the guarantee, 0 to 1. */
  private partWithinGuarantee(from: Points, next: number, jumps: boolean): number {
    return this.partWithin(this.guarantee, from, next, jumps);
  }

  private partWithin(bound: Float64Array, from: Points, next: number, jumps: boolean): number {
    let part = 1;
    for (let type = 0; type < this.width; type++) {
      const target = from.y[next * this.width + type]!;
      if (target <= bound[type]! + SAME_POINT) {
        if (jumps && this.passesBehind(bound[type]!, from, next, type)) part = 0;
        continue;
      }
      const room = bound[type]! - this.value[type]!;
      const here = jumps || room <= SAME_POINT ? 0 : room / (target - this.value[type]!);
      if (here < part) part = here;
    }
    return part;
  }

  /**
   * Whether a jump ends at a bound that is passed right behind it: then the place of the jump is never left within the bound, and
   * the value from the left holds there.
   */
  private passesBehind(bound: number, { y, width }: Points, next: number, type: number): boolean {
    return (
      next < this.last &&
      y[next * width + type]! >= bound - SAME_POINT &&
      y[(next + 1) * width + type]! > bound + SAME_POINT
    );
  }

  private moveTo(from: Points, next: number, part: number, jumps: boolean): void {
    const { width, value } = this;
    const right = next * width;
    if (part === 1) {
      if (!jumps) this.place = from.x[next]!;
      for (let type = 0; type < width; type++) value[type] = from.y[right + type]!;
    } else if (part > 0) {
      this.place += part * (from.x[next]! - this.place);
      for (let type = 0; type < width; type++) value[type]! += part * (from.y[right + type]! - value[type]!);
    }
  }

  /** A jump of FF; false where it would pass a limit. */
  private jump(from: Points, next: number, out: Points): boolean {
    const { width, value } = this;
    if (this.partWithin(this.limit, from, next, true) < 1) return false;
    const right = next * width;
    let growth = this.growth;
    for (let type = 0; type < width; type++) {
      growth = Math.max(growth, from.y[right + type]! - this.guarantee[type]!);
    }
    if (growth > this.growth + SAME_POINT) {
      this.growth = growth;
      this.write(out);
    }
    for (let type = 0; type < width; type++) value[type] = from.y[right + type]!;
    this.write(out);
    return true;
  }

  /** A stretch of FF, up to the first limit; false where there is one on the way. Types take over from each other. */
  private walk(from: Points, next: number, out: Points): boolean {
    const { width, value, gain, guarantee } = this;
    const right = next * width;
    const startPlace = this.place;
    const nextPlace = from.x[next]!;
    const most = this.partWithin(this.limit, from, next, false);
    let leading = 0;
    for (let type = 0; type < width; type++) {
      gain[type] = from.y[right + type]! - value[type]!;
      const ahead = value[type]! - guarantee[type]! - (value[leading]! - guarantee[leading]!);
      if (ahead > 0 || (ahead === 0 && gain[type]! > gain[leading]!)) leading = type;
    }
    let done = 0;
    while (done < most) {
      let part = most;
      let following = leading;
      for (let type = 0; type < width; type++) {
        const faster = gain[type]! - gain[leading]!;
        if (faster <= 0) continue;
        // `value` has moved with `done`, so this is counted from where the way is now.
        const behind = value[leading]! - guarantee[leading]! - (value[type]! - guarantee[type]!);
        const meets = done + behind / faster;
        if (meets < part || (meets === part && gain[type]! > gain[following]!)) {
          part = Math.max(meets, done);
          following = type;
        }
      }
      for (let type = 0; type < width; type++) {
        value[type] = part === 1 ? from.y[right + type]! : value[type]! + (part - done) * gain[type]!;
        if (part === most && value[type]! > this.limit[type]!) value[type] = this.limit[type]!;
      }
      this.place = part === 1 ? nextPlace : startPlace + part * (nextPlace - startPlace);
      this.growth = Math.max(this.growth, value[leading]! - guarantee[leading]!);
      if (part > done) this.write(out);
      if (following === leading) break;
      leading = following;
      done = part;
    }
    return most === 1;
  }

  /** Writes where the way is; what is nearer to the point before than SAME_POINT is made equal to it. */
  private write(out: Points): void {
    const { width, value } = this;
    const at = out.count;
    const here = at * width;
    const before = here - width;
    let moved = at === this.firstWritten;
    // Growth ends at 1, where the value from the left holds: what jumps there is never had.
    if (!moved && out.x[at - 1]! >= 1 - SAME_POINT) return;
    if (!moved) {
      if (this.growth <= out.x[at - 1]! + SAME_POINT) this.growth = out.x[at - 1]!;
      else moved = true;
      for (let type = 0; type < width; type++) {
        if (value[type]! <= out.y[before + type]! + SAME_POINT) value[type] = out.y[before + type]!;
        else moved = true;
      }
    }
    const stays = !moved && at - 2 >= this.firstWritten && samePoint(out, at - 2, at - 1);
    if (stays) {
      out.from[at - 1] = this.place;
      return;
    }
    out.reserve(1);
    out.x[at] = this.growth;
    out.from[at] = this.place;
    for (let type = 0; type < width; type++) out.y[here + type] = value[type]!;
    out.count++;
  }
}

/** The last point of a function that is reached: behind a jump at its very end it never comes. */
function reachableEnd(points: Points, first: number, end: number): number {
  let last = end - 1;
  while (last > first && points.x[last - 1]! >= points.x[end - 1]! - SAME_POINT) last--;
  return last;
}

function samePoint({ x, y, width }: Points, a: number, b: number): boolean {
  if (x[a] !== x[b]) return false;
  for (let type = 0; type < width; type++) if (y[a * width + type] !== y[b * width + type]) return false;
  return true;
}
