import { InputError } from '#contracts';

/** A snapshot would have more allocations than one plan may read. */
export class TooManyAllocations extends InputError {
  constructor(partition: string, queue: string, most: number) {
    super(
      'allocations',
      `${queue} of partition ${partition} has more than ${most} allocations, the most that one plan may read: raise CURTAIL_MOST_ALLOCATIONS and the memory of the services, or split the queue`,
    );
  }
}
