import type { ConfigurationVersion, ConfigurationVersionDetail } from '#api-client';
import type { QueueDifference } from '#configuration';
import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { differenceLines } from './difference-lines.js';

/** `2 queues added, 1 changed`, or `no queue`. */
export function changeText({ added, removed, changed }: ConfigurationVersion): string {
  const [first, ...others] = [
    { number: added, verb: 'added' },
    { number: removed, verb: 'removed' },
    { number: changed, verb: 'changed' },
  ].filter(({ number }) => number > 0);
  if (first === undefined) return 'no queue';
  return [
    `${counted(first.number, 'queue')} ${first.verb}`,
    ...others.map(({ number, verb }) => `${number} ${verb}`),
  ].join(', ');
}

/** The changes of a version from the version before, as `curtail diff` shows them. */
export function versionLines(version: ConfigurationVersionDetail, invocation: Invocation): string[] {
  const { partition, changes, previous, added, removed, changed } = version;
  if (changes === null) return ['its changes were not recorded'];
  const { switched, policies, queues } = changes;
  const of = previous === null ? 'its content:' : `changes from version ${previous}:`;
  const left = added + removed + changed - queues.length;
  return [
    of,
    ...differenceLines(
      {
        switches: switched === null ? [] : [{ partition, ...switched }],
        policies: policies.map((change) => ({ partition, ...change })),
        queues: queues.map(
          (queue): QueueDifference => ({
            ...queue,
            partition,
            max: queue.max.map(exact),
            guaranteed: queue.guaranteed.map(exact),
          }),
        ),
      },
      invocation,
    ),
    ...(left > 0
      ? [
          `… and ${counted(left, 'more queue')}${previous === null ? '' : `: curtail diff ${previous} ${version.version}`}`,
        ]
      : []),
  ];
}

function exact<T extends { from: number | null; to: number | null }>({ from, to, ...change }: T) {
  return { ...change, from: from === null ? null : BigInt(from), to: to === null ? null : BigInt(to) };
}
