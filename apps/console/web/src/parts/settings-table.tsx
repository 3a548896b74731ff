import { Table, Text } from '@mantine/core';
import type { components } from '#api-client';
import { Rows } from './rows.tsx';
import { When } from './when.tsx';

type Setting = components['schemas']['Setting'];

/** Settings in force, and where each comes from. */
export function SettingsTable({ settings }: { settings: readonly Setting[] }) {
  return (
    <Rows name="Settings" columns={['Setting', 'Value', 'From']} minWidth={340}>
      {settings.map((setting) => (
        <Table.Tr key={`${setting.setting} ${setting.queue ?? ''}`}>
          <Table.Td>{setting.setting}</Table.Td>
          <Table.Td className="foreign">{valueText(setting.value)}</Table.Td>
          <Table.Td className="foreign">
            <Origin setting={setting} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}

const origins: Record<Setting['from'], string> = {
  default: 'the default',
  environment: 'this installation',
  configuration: 'the configuration',
  override: 'set by',
};

function Origin({ setting: { from, queue, by, reason, at } }: { setting: Setting }) {
  return (
    <>
      {origins[from]}
      {by && ` ${by}`}
      {queue && ` for ${queue}`}
      {at && (
        <>
          , <When at={at} />
        </>
      )}
      {reason && (
        <Text size="xs" c="dimmed">
          {reason}
        </Text>
      )}
    </>
  );
}

const isNothing = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);

/** As it is written in a configuration; what is not set is none. */
const valueText = (value: unknown) =>
  isNothing(value) ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
