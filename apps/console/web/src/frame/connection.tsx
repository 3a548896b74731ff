import { Badge } from '@mantine/core';
import { useConnectionState } from '../live/live.tsx';

const words = {
  live: { label: 'live', color: 'teal', title: 'This page shows each change as it is recorded.' },
  connecting: { label: 'connecting', color: 'gray', title: 'The page is connecting.' },
  lost: {
    label: 'not connected',
    color: 'red',
    title: 'What is shown may be out of date. The page reconnects, and then shows what it missed.',
  },
} as const;

export function Connection() {
  const { label, color, title } = words[useConnectionState()];
  return (
    <Badge color={color} variant="dot" title={title} role="status" tt="none">
      {label}
    </Badge>
  );
}
