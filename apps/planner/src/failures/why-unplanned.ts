import { InventoryUnknown, NodesUnknown, TooManyAllocations } from '#clusters';
import { InputError } from '#contracts';
import { tooLarge } from '#enforcement';

/** The plan of a run would have more victims than a run may have. */
export class TooManyVictims extends InputError {
  constructor(queue: string, victims: number, most: number) {
    super(
      'victims',
      `${queue} would have ${victims} victims, and a run may have ${most}: lower the quota in steps, or raise CURTAIL_MOST_ALLOCATIONS and the memory of the services`,
    );
  }
}

/** Why no plan could be made; one code for each meaning. docs/how-to/monitor.md, "When something is wrong" */
export interface WhyUnplanned {
  /**
   * One of `InventoryUnknown`: the cluster is not known well enough now. `nodes-unknown`: no node is known, and a quota is a share of
   * them. `too-large`: the next plan would be too. `settings-unusable`: a setting cannot be read. `queue-unknown`: the queue is not in
   * force any more. `snapshot-unusable`: the snapshot contradicts itself.
   */
  code: string;
  /** One sentence with the field, where there is one, and the next step. */
  message: string;
}

export function whyUnplanned(error: InputError): WhyUnplanned {
  const { path, message, sentence } = error;
  if (error instanceof TooManyAllocations || error instanceof TooManyVictims) {
    return { code: tooLarge, message };
  }
  if (error instanceof InventoryUnknown || error instanceof NodesUnknown) {
    return { code: error.code, message: sentence };
  }
  if (isAt(path, 'settings'))
    return { code: 'settings-unusable', message: withStep(sentence, 'change this setting') };
  if (isAt(path, 'trigger')) {
    const step = 'if it was removed, nothing has to be done; otherwise put a configuration with it in force';
    return { code: 'queue-unknown', message: withStep(sentence, step) };
  }
  const step = isAt(path, 'queues')
    ? 'correct the configuration in force'
    : 'correct what the scheduler reports, or the queues of the configuration in force';
  return { code: 'snapshot-unusable', message: withStep(sentence, step) };
}

/** Whether a path is that of a field, or of something in it. */
const isAt = (path: string, field: string): boolean => path.split(/[.[]/, 1)[0] === field;

/** Errors of input have no full stop. */
const withStep = (sentence: string, step: string): string => `${sentence}; ${step}`;
