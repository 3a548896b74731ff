import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, forwardRef, type ReactNode } from 'react';

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'color' | 'style'> & AnchorProps;

const Styled = forwardRef<HTMLAnchorElement, Props>(function Styled(props, ref) {
  return <Anchor ref={ref} size="sm" {...props} />;
});

/** A link to a view. The partition goes along (`router.tsx`). */
export const ViewLink = createLink(Styled);

interface Worded {
  /** Absent: the name of what it leads to. */
  children?: ReactNode;
  /** Within a text: a colour alone would not show it. */
  isInText?: boolean;
}

export function RunLink({ run, children = run, isInText = false }: Worded & { run: string }) {
  return (
    <ViewLink to="/runs/$run" params={{ run }} className="foreign" underline={isInText ? 'always' : 'hover'}>
      {children}
    </ViewLink>
  );
}

export function QueueLink({ queue, children = queue }: Pick<Worded, 'children'> & { queue: string }) {
  return (
    <ViewLink to="/queues/$queue" params={{ queue }} className="foreign">
      {children}
    </ViewLink>
  );
}

/** Leads to why runs chose an allocation or spared it. */
export function AllocationLink({ allocation }: { allocation: string }) {
  return (
    <ViewLink to="/why" search={{ of: allocation }} className="foreign">
      {allocation}
    </ViewLink>
  );
}

/** Leads to what runs chose of an application. */
export function ApplicationLink({ application }: { application: string }) {
  return (
    <ViewLink to="/why" search={{ application }} className="foreign">
      {application}
    </ViewLink>
  );
}
