import type { Resources } from '#contracts';
import { type Fields, isAbsent } from '../../fields.js';
import { AmountList, readAmounts } from '../../snapshot/amounts.js';
import type { TypeNames } from '../../snapshot/type-names.js';
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
  readonly limit: AmountList;
  readonly limitTolerance: AmountList;

  constructor(
    private readonly types: TypeNames,
    private readonly takenAt: number,
  ) {
    this.limit = AmountList.of(types, false);
    this.limitTolerance = AmountList.of(types, false);
  }

  /** Reads those of the next element; its limit is added apart. */
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

  /** Reads the limit of the element that was added last. */
  readLimit(limit: unknown, path: string): void {
    this.limit.read(limit, path, this.weight.length - 1);
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
