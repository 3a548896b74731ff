import type { Invocation } from '../invocation.js';
import { counted } from '../output/counted.js';
import { print } from '../output/print.js';
import { tableLines } from '../output/table.js';
import { showProgress } from '../progress.js';
import { pathOf } from '../server/address.js';
import type { DigestReplay } from '../server/answers.js';
import { clientOf } from '../server/client.js';
import { type ExitStatus, exitStatus } from '../terminal.js';

interface ReplayOptions {
  into: 'digest';
  from?: string;
  to?: string;
}

export async function run(invocation: Invocation, { into, from, to }: ReplayOptions): Promise<ExitStatus> {
  const client = clientOf(invocation);
  const wish = { into, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const replayed = await showProgress(invocation, 'plans', (report) =>
    client.sendForResult<DigestReplay>(pathOf(['replays']), wish, report),
  );
  await print(invocation, {
    value: replayed,
    table: () => replayLines(replayed, invocation),
    names: () => replayed.different.map(({ enforcement }) => `enforcement/${enforcement}`),
  });
  return replayed.same + replayed.notKept < replayed.plans ? exitStatus.failed : exitStatus.done;
}

function replayLines(
  { plans, same, different, notKept }: DigestReplay,
  { style, width }: Invocation,
): string[] {
  if (plans === 0) return ['no plans were recorded in that time'];
  const otherwise = plans - same - notKept;
  const parts = [
    style('good', `${same} came out the same`),
    ...(otherwise > 0 ? [style('bad', `${otherwise} came out differently`)] : []),
    ...(notKept > 0
      ? [style('doubtful', `${notKept} cannot be made again, their inputs are no longer kept`)]
      : []),
  ];
  const head = `${counted(plans, 'plan')} read: ${parts.join(', ')}`;
  if (different.length === 0) return [head];
  const titles = ['ENFORCEMENT', 'QUEUE', 'RECORDED', 'REPLAYED'];
  const rows = different.map(({ enforcement, queue, recorded, replayed, because }) => [
    enforcement,
    queue,
    recorded.slice(0, 16),
    replayed?.slice(0, 16) ?? `no plan: ${because}`,
  ]);
  const columns = titles.map((title) => ({ title }));
  return [head, ...tableLines(columns, rows, { width, style })];
}
