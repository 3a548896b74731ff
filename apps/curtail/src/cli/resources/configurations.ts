import type { ConfigurationVersion, ConfigurationVersionDetail } from '#api-client';
import type { QueueDifference } from '#configuration';
import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { differenceLines } from '../output/difference-lines.js';
import { agoText, clockText } from '../output/time.js';
import { ServerError } from '../server/server-error.js';
import { listedAt } from './listed.js';
import type { ResourceKind } from './resource-kind.js';

/** `2 queues added, 1 changed`, or `no queue`. */
function changeText({ added, removed, changed }: ConfigurationVersion): string {
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
function versionLines(version: ConfigurationVersionDetail, invocation: Invocation): string[] {
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

/** Lists have a summary; a single version has its text and its changes too. */
type Version = ConfigurationVersion | ConfigurationVersionDetail;

/** The history of a partition's configuration, latest first. */
export const configurations: ResourceKind<Version> = {
  kind: 'configuration',
  plural: 'configurations',
  list: listedAt('/v1/partitions/{partition}/configurations', 'since', 'by', 'limit', 'after'),
  dated: true,
  nameOf: ({ version }) => String(version),
  columns: [
    { title: 'VERSION', align: 'right', cell: ({ version }) => String(version) },
    { title: 'APPLIED', holds: 'times', cell: ({ appliedAt }, now) => agoText(appliedAt, now) },
    { title: 'AT', wide: true, cell: ({ appliedAt }) => clockText(appliedAt) },
    { title: 'BY', wraps: 'words', cell: ({ by }) => by ?? '-' },
    { title: 'VIA', cell: ({ via }) => via ?? '-' },
    { title: 'SOURCE', wide: true, holds: 'paths', cell: ({ source }) => source ?? '-' },
    { title: 'SUBMISSION', wide: true, holds: 'ids', cell: ({ submission }) => submission ?? '-' },
    { title: 'CHANGES', wraps: 'words', cell: changeText },
    {
      title: 'NOTE',
      wraps: 'words',
      cell: ({ inForce, rolledBackTo, onlyQueue }) =>
        [
          ...(inForce ? ['in force'] : []),
          ...(onlyQueue === null ? [] : [`only ${onlyQueue}`]),
          ...(rolledBackTo === null ? [] : [`rolled back to version ${rolledBackTo}`]),
        ].join(', ') || '-',
    },
    { title: 'DIGEST', wide: true, cell: ({ digest }) => digest.slice(0, 12) },
  ],
  empty: 'no configurations: none was applied',
  whenEmpty: () => 'put one in force: curtail apply -f FILE',
  one: async (client, name, { partition }, signal) => {
    try {
      return await client.get('/v1/partitions/{partition}/configurations/{version}', {
        params: { path: { partition, version: name } },
        signal,
      });
    } catch (error) {
      if (error instanceof ServerError && error.problem.status === 404) return undefined;
      throw error;
    }
  },
  below: (version, invocation) => ('changes' in version ? ['', ...versionLines(version, invocation)] : []),
  next: ([first], place) =>
    first && first.previous !== null
      ? `compare two versions: curtail diff${place} ${first.previous} ${first.version}`
      : undefined,
};
