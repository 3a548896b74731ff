import type { BodyOf } from '#api-client';
import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { printLine } from '../output/print.js';
import { callerName, clientOf } from '../server/client.js';
import { replaying } from '../server/replaying.js';

interface RepublishOptions {
  topic: BodyOf<'/v1/republications'>['topic'];
  from?: string;
  to?: string;
  dryRun?: boolean;
  restart?: boolean;
}

export async function run(invocation: Invocation, options: RepublishOptions): Promise<undefined> {
  const request = { ...options, by: callerName() };
  const sent = await replaying(invocation, clientOf(invocation), '/v1/republications', request);
  const { topic, events } = sent;
  const done = options.dryRun ? 'would be sent; nothing was' : 'sent, marked as replayed';
  await printLine(invocation, sent, `${counted(events, 'event')} of ${topic} ${done}`, `topic/${topic}`);
}
