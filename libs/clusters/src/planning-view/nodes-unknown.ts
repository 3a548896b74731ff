import { InputError } from '#contracts';

/** No node of the partition is known yet, and the quota of a queue is a share of them. The state is temporary. */
export class NodesUnknown extends InputError {
  constructor(queue: string) {
    super(
      'nodes',
      `none are known yet, so the share of ${queue} cannot be resolved; wait until the scheduler has reported its nodes`,
    );
  }

  override get code(): string {
    return 'nodes-unknown';
  }
}
