import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** Its name for screen readers, and its heading unless there is another. */
  name: string;
  heading?: string;
  /** Beside the heading. */
  aside?: ReactNode;
  children: ReactNode;
}

/** A named part of a view. */
export function Section({ name, heading = name, aside, children }: Props) {
  return (
    <section aria-label={name}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {heading}
        </Title>
        {aside}
      </Group>
      {children}
    </section>
  );
}
