import { DOORBELL, type Doorbell, type Ring } from '@curtail/timers';
import { Inject, Injectable, Logger } from '@nestjs/common';

/**
 * Between the clocks and the doorbell: asks for rings without making anybody wait, and passes on wishes to look at a
 * partition at once. Losing either costs time, never a timer: the sweep finds what is overdue.
 */
@Injectable()
export class Bell {
  private readonly log = new Logger('Timer');
  private onLook: (partition: string) => Promise<void> = async () => {};

  constructor(@Inject(DOORBELL) private readonly doorbell: Doorbell) {}

  arm(rings: Ring[]): void {
    if (rings.length === 0) return;
    this.doorbell.arm(rings).catch((error: Error) => {
      this.log.warn(
        `the doorbell could not be told of ${rings.length} timers (the sweep will find them): ${error.message}`,
      );
    });
  }

  look(partition: string): void {
    this.onLook(partition).catch((error: Error) => {
      this.log.warn(`the look at ${partition} failed (the sweep looks again): ${error.message}`);
    });
  }

  whenLookWanted(onLook: (partition: string) => Promise<void>): void {
    this.onLook = onLook;
  }
}
