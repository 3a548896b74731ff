import { Stack, Table, Text } from '@mantine/core';
import type { Share } from '#contracts';
import { amountsText } from '../../parts/amounts.js';
import { QueueLink } from '../../parts/links.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Section } from '../../parts/section.tsx';

/** The users and applications of each queue of a plan within queues: what they have, and what they are entitled to. */
export function Users({ shares }: { shares: readonly Share[] }) {
  const shown = shares.filter(({ users, applications }) => users || applications);
  if (shown.length === 0) return null;
  return (
    <Section name="Users and applications">
      <Text size="xs" c="dimmed" mb="xs">
        Values at the time of the plan. A limit is the share of a user in the queue, rounded up to whole
        steps; a full queue counts one step more than it uses. A user is left slightly above its limit.
      </Text>
      <Stack>
        {shown.map(({ queue, users = [], applications = [] }) => (
          <div key={queue}>
            <QueueLink queue={queue} />
            <Rows name={`Users of ${queue}`} columns={['User', 'Used', 'Limit']}>
              {users.map(({ user, used, limit }) => (
                <Table.Tr key={user}>
                  <Table.Td className="foreign">{user}</Table.Td>
                  <Table.Td>{amountsText(used)}</Table.Td>
                  <Table.Td>{amountsText(limit)}</Table.Td>
                </Table.Tr>
              ))}
            </Rows>
            <Rows
              name={`Applications of ${queue}`}
              columns={['Application', 'Used', 'Asks for', 'Entitled to', 'Lacks', 'Gives']}
              minWidth={640}
            >
              {applications.map(({ application, used, pending, ideal, need, give }) => (
                <Table.Tr key={application}>
                  <Table.Td className="foreign">{application}</Table.Td>
                  <Table.Td>{amountsText(used)}</Table.Td>
                  <Table.Td>{amountsText(pending)}</Table.Td>
                  <Table.Td>{amountsText(ideal)}</Table.Td>
                  <Table.Td>{amountsText(need)}</Table.Td>
                  <Table.Td>{amountsText(give)}</Table.Td>
                </Table.Tr>
              ))}
            </Rows>
          </div>
        ))}
      </Stack>
    </Section>
  );
}
