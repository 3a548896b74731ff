import {
  Anchor,
  AppShell,
  Burger,
  Button,
  Group,
  NavLink,
  Select,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { api, needsToken, token } from '../api/client.js';
import { logOut } from '../api/login.js';
import { LiveProvider } from '../live/live.tsx';
import { Connection } from './connection.tsx';
import { KillSwitch } from './kill-switch.tsx';
import { titleOf } from './title-of.js';
import { TokenForm } from './token-form.tsx';
import { usePartition } from './use-partition.js';

const views = [
  { to: '/', label: 'Overview' },
  { to: '/runs', label: 'Runs' },
  { to: '/what-if', label: 'What if' },
  { to: '/log', label: 'Log' },
  { to: '/why', label: 'Why was mine evicted?' },
  { to: '/rounds', label: 'Rounds' },
  { to: '/replays', label: 'Replays' },
  { to: '/agents', label: 'Agents' },
  { to: '/dead-letters', label: 'Dead letters' },
  { to: '/settings', label: 'Settings' },
] as const;

/** The one view that needs no token of its own: the owner of an allocation has a link to it, and sees nothing else. */
export const explainedPath = '/explained';

export function Frame() {
  const { pathname } = useLocation();
  return pathname === explainedPath ? <Outlet /> : <Framed />;
}

/** What all views share: where one is, the partition, the connection, and the kill switch. */
function Framed() {
  const partition = usePartition();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  useEffect(() => {
    document.title = titleOf(pathname, views);
  }, [pathname]);
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { setColorScheme } = useMantineColorScheme();
  // What is shown, also where the system decides it.
  const colorScheme = useComputedColorScheme('light');
  const partitions = useQuery({ queryKey: ['partitions'], queryFn: () => api().get('/v1/partitions', {}) });
  if (needsToken(partitions.error)) return <TokenForm isWrong={partitions.error !== null} />;
  const names = [
    ...new Set([partition, ...(partitions.data?.items ?? []).map(({ partition: name }) => name)]),
  ];
  return (
    <LiveProvider partition={partition}>
      <AppShell
        // Sliding, the view would be wider than a narrow window for a moment.
        transitionDuration={0}
        header={{ height: 56 }}
        navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
        padding="md"
      >
        <AppShell.Header>
          <Group h="100%" px="md" justify="space-between" wrap="nowrap">
            <Group gap="sm" wrap="nowrap">
              <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Menu" />
              <Anchor component={Link} to="/" c="inherit" fw={700} underline="never" visibleFrom="xs">
                Curtail
              </Anchor>
              <Select
                aria-label="Partition"
                data={names}
                value={partition}
                allowDeselect={false}
                searchable
                title={partition}
                className="partition"
                onDropdownOpen={() => void partitions.refetch()}
                onChange={(name) => name && navigate({ to: '.', search: { partition: name } })}
              />
            </Group>
            <Group gap="sm" wrap="nowrap">
              <Connection />
              <KillSwitch partition={partition} />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="xs">
          {views.map(({ to, label }) => (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={label}
              active={to === '/' ? pathname === '/' : pathname.startsWith(to)}
              onClick={close}
            />
          ))}
          <Group mt="auto" p="xs" gap="xs">
            <Button
              variant="default"
              size="xs"
              onClick={() => setColorScheme(colorScheme === 'dark' ? 'light' : 'dark')}
            >
              {colorScheme === 'dark' ? 'Light colours' : 'Dark colours'}
            </Button>
            {token.get() !== undefined && (
              <Button variant="default" size="xs" onClick={() => void logOut()}>
                Log out
              </Button>
            )}
            <Anchor href="/docs" size="sm">
              API
            </Anchor>
          </Group>
        </AppShell.Navbar>
        <AppShell.Main>
          <Outlet />
        </AppShell.Main>
      </AppShell>
    </LiveProvider>
  );
}
