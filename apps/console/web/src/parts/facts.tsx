import { Box, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Names with their values, as many beside each other as fit. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {of.map(([name, value]) => (
        <Box key={name}>
          <Text component="dt" size="xs" c="dimmed">
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} className="foreign">
            {value}
          </Text>
        </Box>
      ))}
    </dl>
  );
}
