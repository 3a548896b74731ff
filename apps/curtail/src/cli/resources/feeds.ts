import type { Feed } from '#api-client';
import { durationText } from '../output/amounts.js';
import { agoText, clockText } from '../output/time.js';
import { hanging } from '../output/width.js';
import { listedAt } from './listed.js';
import type { ResourceKind } from './resource-kind.js';

const nameOf = ({ partition, kind, source }: Feed) => `${partition ?? '-'}/${kind}/${source}`;

/** Senders of reports and configurations over Kafka. */
export const feeds: ResourceKind<Feed> = {
  kind: 'feed',
  plural: 'feeds',
  list: listedAt('/v1/feeds', 'limit', 'after'),
  dated: false,
  everywhere: true,
  nameOf,
  columns: [
    { title: 'PARTITION', holds: 'ids', cell: ({ partition }) => partition ?? '-' },
    { title: 'FEED', cell: ({ kind }) => kind },
    { title: 'SOURCE', holds: 'paths', cell: ({ source }) => source || '-' },
    {
      title: 'LAST',
      holds: 'ids',
      cell: ({ sequence, submission }) => submission ?? String(sequence ?? '-'),
    },
    { title: 'IN FORCE', align: 'right', cell: ({ inForce }) => String(inForce ?? '-') },
    {
      title: 'RECEIVED',
      holds: 'times',
      cell: ({ receivedAt }, now) => (receivedAt ? agoText(receivedAt, now) : '-'),
    },
    { title: 'AT', wide: true, cell: ({ receivedAt }) => clockText(receivedAt) },
    {
      title: 'LAG',
      wide: true,
      align: 'right',
      cell: ({ lagSeconds }) => (lagSeconds === null ? '-' : durationText(lagSeconds)),
    },
    { title: 'MESSAGES', wide: true, align: 'right', cell: ({ messages }) => String(messages) },
    {
      title: 'IGNORED',
      wraps: 'items',
      cell: ({ ignored }) =>
        ignored.length === 0
          ? '-'
          : { text: ignored.map(({ reason, count }) => `${count} ${reason}`).join(', '), tone: 'doubtful' },
    },
    {
      title: 'PROBLEMS',
      wraps: 'items',
      cell: ({ partition, configured, notices, deadLetters }) => {
        const problems = [
          ...notices.map(({ code }) => code),
          ...(partition !== null && !configured ? ['no configuration'] : []),
          ...(deadLetters > 0 ? [`dead letters: ${deadLetters}`] : []),
        ];
        return problems.length === 0 ? '-' : { text: problems.join(', '), tone: 'bad' };
      },
    },
  ],
  empty: 'no feeds: no platform has sent a report or a configuration over Kafka',
  one: async (client, name, _filter, signal) => {
    for (let after: string | undefined; ; ) {
      const { items, next } = await client.get('/v1/feeds', {
        params: { query: { limit: 1000, ...(after === undefined ? {} : { after }) } },
        signal,
      });
      const found = items.find((feed) => nameOf(feed) === name);
      if (found || next === undefined) return found;
      after = next;
    }
  },
  below: ({ notices, nextStep }, invocation) => [
    ...notices.flatMap(({ code, message, remedy }) => [
      '',
      ...hanging(`${code}: ${message}; ${invocation.hint(remedy)}`, invocation.width),
    ]),
    ...(nextStep === null
      ? []
      : ['', ...hanging(`see its dead letters: ${invocation.hint(nextStep)}`, invocation.width)]),
  ],
  next: (items) => {
    const letters = items.find(({ nextStep }) => nextStep !== null);
    if (letters) return `see the dead letters: ${letters.nextStep}`;
    return items.some(({ notices }) => notices.length > 0)
      ? 'see the problems and their remedies: curtail inventory status'
      : undefined;
  },
};
