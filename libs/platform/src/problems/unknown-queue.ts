import { partitionOption } from '@curtail/contracts';
import { ProblemException } from './problem-exception.js';

/** 404 for a queue that the configuration in force does not have. */
export function unknownQueue(partition: string, queue: string): ProblemException {
  return new ProblemException({
    code: 'unknown-queue',
    title: 'There is no such queue',
    status: 404,
    detail: `The configuration in force has no queue ${queue} in partition ${partition}.`,
    remedy: `List them: curtail get queues${partitionOption(partition)}`,
  });
}
