import { Anchor, Card, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { nodeLabelsSentence } from '#contracts';
import { amountsText } from '../../parts/amounts.js';
import { distanceText } from '../../parts/distance-text.js';
import { QueueLink } from '../../parts/links.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Section } from '../../parts/section.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { Effect } from './effect.tsx';
import type { Compared } from './effect-of.js';
import type { Outcome, Preview } from './use-comparison.js';

interface Props {
  outcomes: readonly Outcome[];
  compared: Compared | undefined;
  /** Tries a lower limit. */
  onTry: (queue: string, max: Record<string, string>) => void;
}

/** What each alternative would do, side by side. */
export function Outcomes({ outcomes, compared, onTry }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, md: Math.max(1, outcomes.length) }} style={{ alignItems: 'start' }}>
      {outcomes.map((outcome) => (
        <Card key={outcome.name} withBorder padding="sm" component="section" aria-label={outcome.name}>
          <Stack gap="sm">
            <Text fw={600} className="foreign">
              {outcome.name}
            </Text>
            {outcome.errors ? (
              <Text size="sm">It would be refused.</Text>
            ) : (
              <Whole outcome={outcome} compared={compared} onTry={onTry} />
            )}
            {(outcome.warnings ?? []).map((warning) => (
              <Text key={`${warning.path} ${warning.message}`} size="sm" className="foreign">
                Warning: {lineAndColumn(warning)}
                <Sentence of={warning.message} />
              </Text>
            ))}
          </Stack>
        </Card>
      ))}
    </SimpleGrid>
  );
}

function Whole({ outcome, compared, onTry }: { outcome: Outcome } & Pick<Props, 'compared' | 'onTry'>) {
  const { victims = 0 } = outcome;
  return (
    <>
      <Text size="xl" fw={700} c={victims > 0 ? 'var(--bad)' : 'inherit'}>
        {counted(victims, 'victim', 'victims')}
      </Text>
      {compared && <Effect of={outcome} compared={compared} />}
      <Groups name="Victims by owner" title="Owner" groups={outcome.byOwner} empty="without a user" />
      <Groups name="Victims by queue" title="Queue" groups={outcome.byQueue} empty="" />
      <Groups name="Victims by application" title="Application" groups={outcome.byApplication} empty="" />
      {(outcome.stays ?? []).map(({ queue, above, because }) => (
        <Text key={queue} size="sm" className="foreign">
          <QueueLink queue={queue} /> stays above its quota by {amountsText(above)}: <Sentence of={because} />
        </Text>
      ))}
      {(outcome.lowest ?? []).map(({ queue, max, text }) => (
        <Text key={queue} size="sm" className="foreign">
          The lowest quota of {queue} without victims: {amountsText(max)}.{' '}
          <Anchor
            component="button"
            type="button"
            size="sm"
            underline="always"
            onClick={() => onTry(queue, text)}
          >
            Try it
          </Anchor>
        </Text>
      ))}
    </>
  );
}

type Groups = Outcome['byOwner'];

function Groups({
  name,
  title,
  groups,
  empty,
}: {
  name: string;
  title: string;
  groups: Groups;
  empty: string;
}) {
  if (!groups || groups.items.length === 0) return null;
  return (
    <div>
      <Rows name={name} columns={[title, 'Victims', 'Resources']} minWidth={300}>
        {groups.items.map(({ name: of, victims, resources }) => (
          <Table.Tr key={of}>
            <Table.Td className="foreign">{of === '' ? empty : of}</Table.Td>
            <Table.Td>{victims}</Table.Td>
            <Table.Td>{amountsText(resources)}</Table.Td>
          </Table.Tr>
        ))}
      </Rows>
      {groups.more > 0 && <Text size="xs">and {groups.more} more</Text>}
    </div>
  );
}

/** What a configuration changes, and the clocks that it starts or ends. */
export function Difference({ preview }: { preview: Preview }) {
  const {
    changed,
    removed,
    guaranteedChanged,
    policyChanges,
    quotaPreemptionEnabled,
    previousQuotaPreemptionEnabled,
    nodeLabels,
  } = preview;
  const others = [
    ...(nodeLabels ? [nodeLabelsSentence(nodeLabels)] : []),
    ...(previousQuotaPreemptionEnabled !== null && previousQuotaPreemptionEnabled !== quotaPreemptionEnabled
      ? [`The enforcement of quotas is switched ${quotaPreemptionEnabled ? 'on' : 'off'}.`]
      : []),
    ...removed.map(({ queue }) => `${queue} is removed.`),
    ...guaranteedChanged.map(({ queue }) => `The guaranteed amounts of ${queue} change.`),
    ...policyChanges.map(({ policy, change }) => `Policy ${policy}: ${change}.`),
  ];
  return (
    <Section name="Difference">
      {changed.length + others.length === 0 && <Text size="sm">It is what is in force.</Text>}
      {changed.length > 0 && (
        <Rows
          name="Changed quotas"
          columns={['Queue', 'Quota now', 'Quota then', 'Clock', 'Starts']}
          minWidth={640}
        >
          {changed.map(({ queue, previous, current, clock, startsAt, waitsFor = [] }) => (
            <Table.Tr key={queue}>
              <Table.Td>
                <QueueLink queue={queue} />
              </Table.Td>
              <Table.Td>{valuesText(previous)}</Table.Td>
              <Table.Td>{valuesText(current)}</Table.Td>
              <Table.Td className="foreign">
                {clock.effect === 'none' ? 'stays as it is' : clock.effect}: <Sentence of={clock.because} />
              </Table.Td>
              <Table.Td className="foreign">
                {startsAt ? laterText(preview.at, startsAt) : '–'}
                {waitsFor.map(({ for: reason, because }) => (
                  <Text key={reason} size="xs" c="dimmed">
                    <Sentence of={because} />
                  </Text>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Rows>
      )}
      {others.map((words) => (
        <Text key={words} size="sm" className="foreign">
          {words}
        </Text>
      ))}
    </Section>
  );
}

/** `line 17, column 35: `, or nothing without a line. */
export const lineAndColumn = ({ line, column }: { line?: number; column?: number }) =>
  line === undefined ? '' : `line ${line}${column === undefined ? '' : `, column ${column}`}: `;

/** A due time, counted from the moment of the comparison: it has not begun. */
const laterText = (at: string, startsAt: string) => distanceText(Date.parse(startsAt) - Date.parse(at));

const valuesText = ({ max, delayMs }: { max: Record<string, number> | null; delayMs: number }) =>
  `${amountsText(max)}; delay ${delayMs / 1000} s`;

export const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
