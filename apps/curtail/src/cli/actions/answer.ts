import { randomUUID } from 'node:crypto';
import type { OwnerAnswerKind } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/inventory-lines.js';
import { printLine } from '../output/print.js';
import { withClockTimes } from '../output/time.js';
import { callerName, clientOf } from '../server/client.js';
import { CommandError } from '../terminal/errors.js';

interface AnswerOptions {
  partition: string;
  uid?: string;
  at?: string;
  id?: string;
}

export async function run(
  invocation: Invocation,
  answer: OwnerAnswerKind,
  allocation: string,
  { partition, uid, at, id = randomUUID() }: AnswerOptions,
): Promise<undefined> {
  if (at !== undefined && answer !== 'checkpointed') {
    throw new CommandError(
      `--at is the time of a checkpoint: curtail answer checkpointed ${allocation} --at ${at}`,
    );
  }
  const result = await clientOf(invocation).post('/v1/answers', {
    body: {
      partition,
      allocation,
      answer,
      id,
      by: callerName(),
      ...(uid !== undefined && { uid }),
      ...(at !== undefined && { at }),
    },
  });
  await printLine(
    invocation,
    result,
    `${withClockTimes(result.message)}${result.repeated ? ' (answered before; nothing changed)' : ''}`,
    `allocation/${allocation}`,
  );
  const place = placeOf({ partition });
  if (answer === 'extend')
    invocation.report(`next: save the work, then: curtail answer checkpointed ${allocation}${place}`);
  if (answer === 'checkpointed')
    invocation.report(`next: if it may be evicted now: curtail answer ready ${allocation}${place}`);
  if (answer === 'ready')
    invocation.report(`next: watch the run: curtail get enforcements ${result.enforcement}${place}`);
}
