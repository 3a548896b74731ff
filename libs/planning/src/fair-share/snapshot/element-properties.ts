import type { Resources } from '@curtail/contracts';
import { type Fields, isAbsent, objectAt } from '../../fields.js';
import { readAmounts } from '../../snapshot/amounts.js';
import type { TypeNames } from '../../snapshot/type-names.js';
import { AmountsRead } from './amounts-read.js';
import { millisecondsAt, partAt, pastInstantAt, starvationAt, weightAt } from './values.js';

/** The properties that pools and operations have alike, in columns that grow. */
export class ElementProperties {
  readonly weight: number[] = [];
  readonly timeout: number[] = [];
  readonly tolerance: number[] = [];
  readonly usageThreshold: (Resources | undefined)[] = [];
  readonly belowSince: number[] = [];
  readonly starvation: number[] = [];
  readonly starvingSince: number[] = [];
  readonly limited: number[] = [];
  readonly limit: AmountsRead;
  readonly limitTolerance: AmountsRead;

  constructor(
    private readonly types: TypeNames,
    private readonly takenAt: number,
  ) {
    this.limit = AmountsRead.of(types, false);
    this.limitTolerance = AmountsRead.of(types, false);
  }

  /** Reads those of the next element; its limit is added apart, with `addLimit`. */
  add(properties: Fields, path: string): void {
    const element = this.weight.length;
    this.weight.push(weightAt(properties.weight, `${path}.weight`));
    this.timeout.push(
      millisecondsAt(properties.fairShareStarvationTimeout, `${path}.fairShareStarvationTimeout`),
    );
    this.tolerance.push(
      partAt(properties.fairShareStarvationTolerance, `${path}.fairShareStarvationTolerance`),
    );
    this.usageThreshold.push(this.threshold(properties.nonPreemptibleResourceUsageThreshold, path));
    this.belowSince.push(
      pastInstantAt(properties.belowFairShareSince, `${path}.belowFairShareSince`, this.takenAt),
    );
    const starvingSince = pastInstantAt(properties.starvingSince, `${path}.starvingSince`, this.takenAt);
    this.starvingSince.push(starvingSince);
    this.starvation.push(
      starvationAt(properties.starvationStatus, `${path}.starvationStatus`, starvingSince),
    );
    this.limitTolerance.read(
      properties.resourceLimitsOvercommitTolerance,
      `${path}.resourceLimitsOvercommitTolerance`,
      element,
    );
  }

  addLimit(limit: unknown, path: string): void {
    this.limited.push(this.limit.read(limit, path, this.limited.length) ? 1 : 0);
  }

  private threshold(value: unknown, path: string): Resources | undefined {
    if (isAbsent(value)) return undefined;
    const amounts: [string, number][] = [];
    readAmounts(value, `${path}.nonPreemptibleResourceUsageThreshold`, (type, amount) => {
      this.types.met(type);
      amounts.push([type, amount]);
    });
    return Object.fromEntries(amounts);
  }
}

/** The properties of a queue or an application, which may be absent. */
export function propertiesAt(value: unknown, path: string): Fields {
  return isAbsent(value) ? {} : objectAt(value, path);
}
