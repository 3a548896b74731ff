import type { Draft } from '../draft.js';
import type { Unit } from './gangs.js';

/** Whether the victims would give more than the target, or the leaf more than its share, in any type. */
export function unitPassesTarget(
  { target, claimed }: Draft,
  { type, amount }: Pick<Unit, 'type' | 'amount'>,
  share: Float64Array | null,
  given: Float64Array,
): boolean {
  for (let e = 0; e < type.length; e++) {
    const place = target.placeOfType[type[e]!]!;
    if (place < 0) continue;
    if (claimed[place]! + amount[e]! > target.amounts[place]!) return true;
    if (share !== null && given[place]! + amount[e]! > share[place]!) return true;
  }
  return false;
}

export function addUnitTo(
  given: Float64Array,
  { target }: Draft,
  { type, amount }: Pick<Unit, 'type' | 'amount'>,
): void {
  for (let e = 0; e < type.length; e++) {
    const place = target.placeOfType[type[e]!]!;
    if (place >= 0) given[place]! += amount[e]!;
  }
}

/** Whether the other victims still give what is needed in every type of the target that a unit uses. */
export function isUnitSpare(
  { target, claimed }: Draft,
  { type, amount }: Pick<Unit, 'type' | 'amount'>,
): boolean {
  for (let e = 0; e < type.length; e++) {
    const place = target.placeOfType[type[e]!]!;
    if (place >= 0 && claimed[place]! - amount[e]! < target.need[place]!) return false;
  }
  return true;
}
